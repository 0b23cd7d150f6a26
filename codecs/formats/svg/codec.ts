import type { FormatCodec } from '../../format-codec.ts';
import { svgReader } from '../../svg/read.ts';

export const codec: FormatCodec = {
  reader: svgReader,
};
