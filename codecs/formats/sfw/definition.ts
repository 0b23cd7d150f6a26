import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const sfw = {
  name: 'Seattle FilmWorks',
  extensions: ['sfw', 'pwp'],
  contentTypes: ['image/x-sfw'],
  pages: true,
  signature: { rank: 'exact', matches: any(at(0, 'SFW94A'), at(0, 'SFW95'), at(0, 'SFW98')) },
} as const satisfies Format;
