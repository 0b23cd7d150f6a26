import type { FormatCodec } from '../../format-codec.ts';
import type { Samples } from '../../samples.ts';
import { samplesOf } from '../../write.ts';
import { decodeBmp, probeBmp } from './read.ts';
import { encodeBmp } from './write.ts';

export const codec: FormatCodec = {
  reader: {
    probe(bytes) {
      const { width, height, masks } = probeBmp(bytes);
      return { width, height, pages: 1, depth: 8, hasAlpha: Boolean(masks?.alpha) };
    },
    decode: (bytes, { maxPixels }) => decodeBmp(bytes, maxPixels),
  },
  encode: (image, _encoding, _context, { density }) =>
    encodeBmp({ ...(samplesOf(image, 'keep') as Samples<1 | 3>), density }),
};
