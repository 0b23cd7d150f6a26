import { isXpm } from '../../legacy/xpm.ts';
import type { Format } from '../format.ts';

export const xpm = {
  name: 'X pixmap',
  extensions: ['xpm'],
  contentTypes: ['image/x-xpixmap'],
  alpha: true,
  signature: { rank: 'exact', matches: isXpm },
} as const satisfies Format;
