import type { FormatCodec } from '../../format-codec.ts';
import { magickReader } from '../../magick/read.ts';

export const codec: FormatCodec = {
  reader: magickReader('pcd'),
};
