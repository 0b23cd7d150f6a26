import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const xv = {
  name: 'XV thumbnail',
  extensions: ['p7'],
  contentTypes: ['image/x-xv-thumbnail'],
  signature: { rank: 'exact', matches: at(0, 'P7 332') },
} as const satisfies Format;
