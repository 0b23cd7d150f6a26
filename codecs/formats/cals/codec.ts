import type { FormatCodec } from '../../format-codec.ts';
import { calsReader } from './read.ts';

export const codec: FormatCodec = {
  reader: calsReader,
};
