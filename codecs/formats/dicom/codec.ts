import type { FormatCodec } from '../../format-codec.ts';
import { dicomReader } from './read.ts';

export const codec: FormatCodec = {
  reader: dicomReader,
};
