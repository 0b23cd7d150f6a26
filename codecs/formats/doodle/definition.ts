import type { Format } from '../format.ts';
import { isDoodle } from './read.ts';

export const doodle = {
  name: 'Commodore 64 Doodle',
  extensions: ['dd', 'ddl', 'jj'],
  contentTypes: ['image/x-doodle'],
  named: true,
  matchesNamed: isDoodle,
} as const satisfies Format;
