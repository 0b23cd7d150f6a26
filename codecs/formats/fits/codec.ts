import type { FormatCodec } from '../../format-codec.ts';
import { fitsReader } from './read.ts';

export const codec: FormatCodec = {
  reader: fitsReader,
};
