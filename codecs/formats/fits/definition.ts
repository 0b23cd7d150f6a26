import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const fits = {
  name: 'FITS',
  extensions: ['fits', 'fit', 'fts'],
  contentTypes: ['image/fits'],
  pages: true,
  signature: { rank: 'exact', matches: at(0, 'SIMPLE  =') },
  readFacts: ownMetadataFacts,
} as const satisfies Format;
