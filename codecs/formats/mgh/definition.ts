import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import { unpackHeader } from '../../volumes/unpack.ts';
import type { Format } from '../format.ts';
import { isMgh, NAME } from './header.ts';

export const mgh = {
  name: NAME,
  extensions: ['mgh', 'mgz'],
  contentTypes: ['application/x-mgh'],
  pages: true,
  signature: { rank: 'last', matches: (bytes) => isMgh(unpackHeader(bytes)) },
  readFacts: ownMetadataFacts,
} as const satisfies Format;
