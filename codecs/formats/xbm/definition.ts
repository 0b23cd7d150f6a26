import type { Format } from '../format.ts';
import { isXbm } from './read.ts';

export const xbm = {
  name: 'X bitmap',
  extensions: ['xbm', 'bm'],
  contentTypes: ['image/x-xbitmap'],
  signature: { rank: 'exact', matches: isXbm },
} as const satisfies Format;
