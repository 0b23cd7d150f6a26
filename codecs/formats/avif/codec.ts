import type { FormatCodec } from '../../format-codec.ts';
import { checkHeifItems } from '../../heif/items.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { bufferOf } from '../../metadata/bytes.ts';
import { inFullRange, withCodePoints } from './deep.ts';
import { encodeAvif, encodeLosslessAvif } from './write.ts';

export const codec: FormatCodec = {
  loader: {
    // Page 1 is the primary image, which need not be the first one stored.
    load: (vips, bytes, options) =>
      inFullRange(
        vips.Image.heifloadBuffer(bytes, {
          ...commonOptions(options),
          ...(options.page > 1 ? pageOptions(options) : {}),
          unlimited: true,
        }),
      ),
    workingBytesPerPixel: ({ depth }) => (depth === 8 ? 8 : 16),
    shrinks: false,
    isAnimated: (bytes) => bufferOf(bytes).toString('latin1', 8, 12) === 'avis',
  },
  checkHeader: checkHeifItems,
  async encode(image, encoding, { modules }, _metadata, _frames, codePoints) {
    const file = encoding.lossless ? encodeLosslessAvif(image) : await encodeAvif(image, encoding, modules);
    return codePoints ? withCodePoints(file, codePoints) : file;
  },
};
