import type { FormatCodec } from '../../format-codec.ts';
import { icnsReader } from './read.ts';

export const codec: FormatCodec = {
  reader: icnsReader,
};
