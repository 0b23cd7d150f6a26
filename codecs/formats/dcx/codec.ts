import type { FormatCodec } from '../../format-codec.ts';
import { dcxReader } from './read.ts';

export const codec: FormatCodec = {
  reader: dcxReader,
};
