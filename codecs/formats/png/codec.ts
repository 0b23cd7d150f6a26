import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions } from '../../loader.ts';
import { bufferOf } from '../../metadata/bytes.ts';
import { recoverPng } from '../../png/recovery.ts';
import { checkPngData } from '../../png/rows.ts';
import { decodePngPixels, encodePalettePng, encodePng } from '../../png.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) => vips.Image.pngloadBuffer(bytes, { ...commonOptions(options), unlimited: true }),
    decode: decodePngPixels,
    recover: recoverPng,
    workingBytesPerPixel: ({ interlaced, bytesPerPixel }) => (interlaced ? bytesPerPixel : 0),
    shrinks: false,
    isAnimated(bytes) {
      const file = bufferOf(bytes);
      return file.subarray(0, Math.max(0, file.indexOf('IDAT', 0, 'latin1'))).includes('acTL', 0, 'latin1');
    },
    holdsInterlaced: true,
  },
  checkHeader: checkPngData,
  encode: (image, encoding, context, { icc }) =>
    encoding.lossless
      ? encodePng(context, image, { keepColour: icc !== undefined, ...encoding.png })
      : encodePalettePng(image, { quality: encoding.quality, dither: true }),
};
