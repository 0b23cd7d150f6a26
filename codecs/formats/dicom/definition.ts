import { ownMetadataFacts } from '../../facts/own-metadata.ts';
import type { Format } from '../format.ts';
import { isDicom } from './recognise.ts';

export const dicom = {
  name: 'DICOM',
  extensions: ['dcm', 'dicom'],
  contentTypes: ['application/dicom'],
  pages: true,
  signature: { rank: 'enclosing', matches: (bytes) => isDicom(bytes) },
  matchesNamed: isDicom,
  readFacts: ownMetadataFacts,
} as const satisfies Format;
