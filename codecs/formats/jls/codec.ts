import type { FormatCodec } from '../../format-codec.ts';
import { jlsReader } from './read.ts';

export const codec: FormatCodec = {
  reader: jlsReader,
};
