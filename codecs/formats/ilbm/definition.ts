import type { Format } from '../format.ts';
import { NAME } from './header.ts';
import { isIffImage } from './recognise.ts';

export const ilbm = {
  name: NAME,
  extensions: ['iff', 'ilbm', 'lbm', 'ham', 'ham8', 'ehb', 'acbm', 'pbm', 'deep', 'rgb8', 'rgbn'],
  contentTypes: ['image/x-ilbm'],
  alpha: true,
  note: 'with HAM, EHB and palettes that change by line',
  signature: { rank: 'exact', matches: isIffImage },
} as const satisfies Format;
