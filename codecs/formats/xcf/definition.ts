import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const xcf = {
  name: 'GIMP image',
  extensions: ['xcf'],
  contentTypes: ['image/x-xcf'],
  alpha: true,
  note: 'the merged layers',
  signature: { rank: 'exact', matches: at(0, 'gimp xcf') },
} as const satisfies Format;
