import type { FormatCodec } from '../../format-codec.ts';
import { checkHeifItems } from '../../heif/items.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { bufferOf } from '../../metadata/bytes.ts';
import { encodeAvif, encodeLosslessAvif } from './write.ts';

export const codec: FormatCodec = {
  loader: {
    // Page 1 is the primary image, which need not be the first one stored.
    load: (vips, bytes, options) =>
      vips.Image.heifloadBuffer(bytes, {
        ...commonOptions(options),
        ...(options.page > 1 ? pageOptions(options) : {}),
        unlimited: true,
      }),
    workingBytesPerPixel: ({ depth }) => (depth === 8 ? 8 : 16),
    shrinks: false,
    isAnimated: (bytes) => bufferOf(bytes).toString('latin1', 8, 12) === 'avis',
  },
  checkHeader: checkHeifItems,
  encode: (image, encoding, { modules }) =>
    encoding.lossless ? encodeLosslessAvif(image) : encodeAvif(image, encoding, modules),
};
