import type { FormatCodec } from '../../format-codec.ts';
import { djvuReader } from './read.ts';

export const codec: FormatCodec = {
  reader: djvuReader,
};
