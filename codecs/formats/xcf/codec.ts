import type { FormatCodec } from '../../format-codec.ts';
import { xcfReader } from './read.ts';

export const codec: FormatCodec = {
  reader: xcfReader,
};
