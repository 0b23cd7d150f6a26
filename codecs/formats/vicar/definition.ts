import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const vicar = {
  name: 'VICAR',
  extensions: ['vicar', 'vic'],
  contentTypes: ['image/x-vicar'],
  signature: { rank: 'exact', matches: at(0, 'LBLSIZE=') },
  magick: { coder: 'VICAR' },
  readFacts: ownMetadataFacts,
} as const satisfies Format;
