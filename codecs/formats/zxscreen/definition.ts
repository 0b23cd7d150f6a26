import { isZxScreen } from '../../screens/zxscreen.ts';
import type { Format } from '../format.ts';

export const zxscreen = {
  name: 'ZX Spectrum screen',
  extensions: ['scr', 'zx'],
  contentTypes: ['image/x-zx-screen'],
  named: true,
  matchesNamed: isZxScreen,
} as const satisfies Format;
