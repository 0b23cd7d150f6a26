import { isNeochrome } from '../../screens/neochrome.ts';
import type { Format } from '../format.ts';

export const neochrome = {
  name: 'Atari ST NEOchrome',
  extensions: ['neo'],
  contentTypes: ['image/x-neochrome'],
  named: true,
  matchesNamed: isNeochrome,
} as const satisfies Format;
