import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import { unpackHeader } from '../../volumes/unpack.ts';
import type { Format } from '../format.ts';
import { isAnalyze, NAME } from './header.ts';

export const analyze = {
  name: NAME,
  extensions: ['img', 'hdr'],
  contentTypes: ['application/x-analyze'],
  pages: true,
  note: 'header and voxels in one file',
  signature: { rank: 'last', matches: (bytes) => isAnalyze(unpackHeader(bytes)) },
  readFacts: ownMetadataFacts,
} as const satisfies Format;
