import type { FormatCodec } from '../../format-codec.ts';
import { encodeIco } from '../../ico.ts';
import { encodePng } from '../../png.ts';
import type { Samples } from '../../samples.ts';
import { samplesOf } from '../../write.ts';
import { decodeIco, probeIco } from './read.ts';

export const codec: FormatCodec = {
  reader: {
    probe: (bytes, { page }) => ({ ...probeIco(bytes, page), depth: 8, hasAlpha: true }),
    decode: (bytes, { page, maxPixels }) => decodeIco(bytes, page, maxPixels),
  },
  encode: (image, _encoding, context) =>
    encodeIco([samplesOf(image, 'always') as Samples<4>], () => encodePng(context, image, { keepLayout: true })),
};
