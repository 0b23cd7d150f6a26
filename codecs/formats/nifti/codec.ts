import type { FormatCodec } from '../../format-codec.ts';
import { volumeReader } from '../../volumes/reader.ts';
import { nifti } from './definition.ts';
import { parseNifti } from './header.ts';

export const codec: FormatCodec = {
  reader: volumeReader(nifti.name, parseNifti),
};
