import type { Format } from '../format.ts';
import { isSgi, NAME } from './read.ts';

export const sgi = {
  name: NAME,
  extensions: ['sgi', 'rgb', 'rgba', 'bw', 'int', 'inta'],
  contentTypes: ['image/x-sgi'],
  alpha: true,
  signature: { rank: 'exact', matches: isSgi },
} as const satisfies Format;
