import type { Format } from '../format.ts';
import { isPict, NAME } from './picture.ts';

export const pict = {
  name: NAME,
  extensions: ['pict', 'pct', 'pic'],
  contentTypes: ['image/x-pict'],
  alpha: true,
  signature: { rank: 'loose', matches: isPict },
} as const satisfies Format;
