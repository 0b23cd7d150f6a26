import type { Format } from '../format.ts';
import { isKoala } from './read.ts';

export const koala = {
  name: 'Commodore 64 Koala Painter',
  extensions: ['koa', 'kla', 'gg'],
  contentTypes: ['image/x-koala'],
  named: true,
  matchesNamed: isKoala,
} as const satisfies Format;
