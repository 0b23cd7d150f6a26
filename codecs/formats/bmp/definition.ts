import { DIB_HEADER_BYTES } from '../../dib.ts';
import { startsWith, viewOf } from '../../metadata/bytes.ts';
import { EIGHT_BIT_DEPTH, type Format, NO_METADATA } from '../format.ts';
import { bmpFacts } from './facts.ts';
import { NAME, probeBmp } from './read.ts';

/** Whether the bytes are a BMP. Checks the header too, because many texts start with `BM`. */
const isBmp = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 'BM') && bytes.length >= 18 && DIB_HEADER_BYTES.includes(viewOf(bytes).getUint32(14, true));

export const bmp = {
  name: NAME,
  extensions: ['bmp', 'dib'],
  contentTypes: ['image/bmp'],
  alpha: true,
  graphics: 'often',
  web: { kind: 'image', age: 'classic', everywhere: true },
  signature: { rank: 'common', matches: isBmp },
  readSize: probeBmp,
  readFacts: bmpFacts,
  output: {
    lossless: true,
    lossy: false,
    alpha: false,
    animation: 'none',
    depth: EIGHT_BIT_DEPTH,
    holds: { ...NO_METADATA, density: true },
    encodingBytes: (pixels) => pixels * 8,
    usuallyLossless: true,
  },
} as const satisfies Format;
