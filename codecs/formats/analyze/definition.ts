import { isAnalyze, NAME } from '../../volumes/analyze.ts';
import { unpackHeader } from '../../volumes/unpack.ts';
import type { Format } from '../format.ts';

export const analyze = {
  name: NAME,
  extensions: ['img', 'hdr'],
  contentTypes: ['application/x-analyze'],
  pages: true,
  note: 'header and voxels in one file',
  signature: { rank: 'last', matches: (bytes) => isAnalyze(unpackHeader(bytes)) },
} as const satisfies Format;
