import type { Format } from '../format.ts';
import { isZxScreen } from './read.ts';

export const zxscreen = {
  name: 'ZX Spectrum screen',
  extensions: ['scr', 'zx'],
  contentTypes: ['image/x-zx-screen'],
  named: true,
  matchesNamed: isZxScreen,
} as const satisfies Format;
