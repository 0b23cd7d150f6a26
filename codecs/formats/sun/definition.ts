import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const sun = {
  name: 'Sun raster',
  extensions: ['ras', 'sun', 'rs', 'im1', 'im8', 'im24'],
  contentTypes: ['image/x-sun-raster'],
  signature: { rank: 'exact', matches: at(0, '\x59\xa6\x6a\x95') },
} as const satisfies Format;
