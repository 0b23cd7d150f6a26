import type { FormatCodec } from '../../format-codec.ts';
import { columnTiming } from '../../frame-reader.ts';
import { checkHeifItems } from '../../heif/items.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { bufferOf } from '../../metadata/bytes.ts';
import { avifAnimation, type EncodeFrame, encodeSequence } from './animation.ts';
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
  animation: avifAnimation,
  async encode(image, encoding, { modules }, _metadata, frames, codePoints) {
    const encodeFrame: EncodeFrame = async (frame, chroma) => {
      const wholePixels = frames > 1 ? image.width * image.height : undefined;
      const file = encoding.lossless
        ? encodeLosslessAvif(frame)
        : await encodeAvif(frame, { wholePixels, ...encoding, chroma }, modules);
      return codePoints ? withCodePoints(file, codePoints) : file;
    };
    if (frames === 1) return await encodeFrame(image, undefined);
    return await encodeSequence(image, columnTiming(image, frames), encodeFrame);
  },
};
