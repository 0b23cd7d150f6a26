import type { Format } from '../format.ts';
import { isApple2 } from './read.ts';

export const apple2 = {
  name: 'Apple II screen',
  extensions: ['hgr', 'dhgr', 'a2fc', 'shr', '2fc'],
  contentTypes: ['image/x-apple2'],
  named: true,
  matchesNamed: isApple2,
} as const satisfies Format;
