import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const urle = {
  name: 'Utah RLE',
  extensions: ['rle', 'urt'],
  contentTypes: ['image/x-utah-rle'],
  alpha: true,
  signature: { rank: 'exact', matches: at(0, '\x52\xcc') },
} as const satisfies Format;
