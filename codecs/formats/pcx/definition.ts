import { isPcx, NAME } from '../../legacy/pcx.ts';
import type { Format } from '../format.ts';

export const pcx = {
  name: NAME,
  extensions: ['pcx'],
  contentTypes: ['image/vnd.zbrush.pcx'],
  alpha: true,
  signature: { rank: 'exact', matches: isPcx },
} as const satisfies Format;
