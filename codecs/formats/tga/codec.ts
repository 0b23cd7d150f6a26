import type { FormatCodec } from '../../format-codec.ts';
import { samplesOf } from '../../write.ts';
import { tgaReader } from './read.ts';
import { encodeTga } from './write.ts';

export const codec: FormatCodec = {
  reader: tgaReader,
  encode: (image) => encodeTga(samplesOf(image, 'keep')),
};
