import type { Format } from '../format.ts';
import { isMsx } from './read.ts';

export const msx = {
  name: 'MSX screen',
  extensions: ['sc2', 'grp', 'sc5', 'sc6', 'sc7', 'sc8', 'sr5', 'sr6', 'sr7', 'sr8', 'ge5', 'ge7', 'ge8'],
  contentTypes: ['image/x-msx'],
  named: true,
  matchesNamed: isMsx,
} as const satisfies Format;
