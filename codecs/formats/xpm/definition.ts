import type { Format } from '../format.ts';
import { isXpm } from './read.ts';

export const xpm = {
  name: 'X pixmap',
  extensions: ['xpm'],
  contentTypes: ['image/x-xpixmap'],
  alpha: true,
  signature: { rank: 'exact', matches: isXpm },
} as const satisfies Format;
