import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const dds = {
  name: 'DirectDraw surface',
  extensions: ['dds'],
  contentTypes: ['image/vnd.ms-dds'],
  alpha: true,
  signature: { rank: 'exact', matches: at(0, 'DDS ') },
  magick: { coder: 'DDS', pages: 'first' },
} as const satisfies Format;
