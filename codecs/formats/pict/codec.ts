import type { FormatCodec } from '../../format-codec.ts';
import { pictReader } from './read.ts';

export const codec: FormatCodec = {
  reader: pictReader,
};
