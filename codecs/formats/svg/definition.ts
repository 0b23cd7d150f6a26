import { packetFacts } from '../../facts/packet.ts';
import { isHtml } from '../../html-start.ts';
import { SVG_NAME } from '../../svg/name.ts';
import { isSvg } from '../../svg/recognise.ts';
import type { Format } from '../format.ts';

export const svg = {
  name: SVG_NAME,
  extensions: ['svg', 'svgz'],
  contentTypes: ['image/svg+xml'],
  alpha: true,
  note: 'drawn without scripts and outside references; compress alone answers a smaller SVG',
  web: { kind: 'vector', everywhere: true },
  signature: { rank: 'loose', matches: (bytes) => !isHtml(bytes) && isSvg(bytes) },
  needs: ['@resvg/resvg-wasm/index_bg.wasm'],
  readFacts: packetFacts,
} as const satisfies Format;
