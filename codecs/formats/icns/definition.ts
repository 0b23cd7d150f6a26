import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const icns = {
  name: 'Apple icon',
  extensions: ['icns'],
  contentTypes: ['image/icns'],
  alpha: true,
  pages: true,
  signature: { rank: 'exact', matches: at(0, 'icns') },
} as const satisfies Format;
