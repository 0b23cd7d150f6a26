import type { Format } from '../format.ts';
import { isTiny } from './read.ts';

export const tiny = {
  name: 'Atari ST Tiny',
  extensions: ['tny', 'tn1', 'tn2', 'tn3'],
  contentTypes: ['image/x-tiny'],
  named: true,
  matchesNamed: isTiny,
} as const satisfies Format;
