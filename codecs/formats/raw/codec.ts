import type { FormatCodec } from '../../format-codec.ts';
import { rawReader } from './read.ts';

export const codec: FormatCodec = {
  reader: rawReader,
};
