import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const fits = {
  name: 'FITS',
  extensions: ['fits', 'fit', 'fts'],
  contentTypes: ['image/fits'],
  pages: true,
  signature: { rank: 'exact', matches: at(0, 'SIMPLE  =') },
} as const satisfies Format;
