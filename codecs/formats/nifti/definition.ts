import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import { unpackHeader } from '../../volumes/unpack.ts';
import type { Format } from '../format.ts';
import { isNifti, NAME } from './header.ts';

export const nifti = {
  name: NAME,
  extensions: ['nii', 'nii.gz'],
  contentTypes: ['application/x-nifti'],
  pages: true,
  note: 'planes are pages; of a series the first volume',
  signature: { rank: 'last', matches: (bytes) => isNifti(unpackHeader(bytes)) },
  readFacts: ownMetadataFacts,
} as const satisfies Format;
