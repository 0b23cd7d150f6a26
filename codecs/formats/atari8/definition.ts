import type { Format } from '../format.ts';
import { isAtari8 } from './read.ts';

export const atari8 = {
  name: 'Atari 8-bit screen',
  extensions: ['mic', 'gr8', 'gr9'],
  contentTypes: ['image/x-atari-8bit'],
  named: true,
  matchesNamed: isAtari8,
} as const satisfies Format;
