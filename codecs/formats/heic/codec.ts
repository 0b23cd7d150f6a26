import type { FormatCodec } from '../../format-codec.ts';
import { checkHeifItems } from '../../heif/items.ts';
import { heicReader } from './read.ts';

export const codec: FormatCodec = {
  reader: heicReader,
  checkHeader: checkHeifItems,
};
