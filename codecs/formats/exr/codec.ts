import type { FormatCodec } from '../../format-codec.ts';
import { exrReader } from './read.ts';

export const codec: FormatCodec = {
  reader: exrReader,
};
