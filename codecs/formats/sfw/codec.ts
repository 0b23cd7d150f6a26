import type { FormatCodec } from '../../format-codec.ts';
import { sfwReader } from './read.ts';

export const codec: FormatCodec = {
  reader: sfwReader,
};
