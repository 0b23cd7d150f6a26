import type { FormatCodec } from '../../format-codec.ts';
import { ilbmReader } from './read.ts';

export const codec: FormatCodec = {
  reader: ilbmReader,
};
