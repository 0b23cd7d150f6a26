import type { Format } from '../format.ts';
import { isNeochrome } from './read.ts';

export const neochrome = {
  name: 'Atari ST NEOchrome',
  extensions: ['neo'],
  contentTypes: ['image/x-neochrome'],
  named: true,
  matchesNamed: isNeochrome,
} as const satisfies Format;
