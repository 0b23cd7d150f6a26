import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions } from '../../loader.ts';
import { recoverPng } from '../../png/recovery.ts';
import { checkPngData } from '../../png/rows.ts';
import { decodePngPixels, encodePalettePng, encodePng } from '../../png.ts';
import { encodeAnimation, pngAnimation } from './animation.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) => vips.Image.pngloadBuffer(bytes, { ...commonOptions(options), unlimited: true }),
    decode: decodePngPixels,
    recover: (bytes) => recoverPng(bytes),
    workingBytesPerPixel: ({ interlaced, bytesPerPixel }) => (interlaced ? bytesPerPixel : 0),
    shrinks: false,
    holdsInterlaced: true,
  },
  checkHeader: checkPngData,
  animation: pngAnimation,
  encode(image, encoding, context, { icc }, frames) {
    if (frames > 1) return encodeAnimation(context, image, encoding, { frames, keepColour: icc !== undefined });
    return encoding.lossless
      ? encodePng(context, image, { keepColour: icc !== undefined, ...encoding.png })
      : encodePalettePng(context, image, { quality: encoding.quality, dither: true });
  },
};
