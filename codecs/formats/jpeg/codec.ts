import type { FormatCodec } from '../../format-codec.ts';
import { decodeJpegPixels, decodeResizedJpeg, encodeJpeg } from '../../jpeg.ts';
import { isDeepJpeg } from '../../jpeg-frame.ts';
import { checkJpegScans, coefficientBytes, DEFAULT_MAX_JPEG_SCANS } from '../../jpeg-scans.ts';
import { commonOptions } from '../../loader.ts';
import { lossySettings } from '../../write.ts';
import { readJpegFacts } from './image-facts.ts';
import { imagesOf } from './mpf.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) =>
      vips.Image.jpegloadBuffer(bytes, { ...commonOptions(options), shrink: options.shrink, unlimited: true }),
    readFacts: readJpegFacts,
    decode: decodeJpegPixels,
    decodeResized: decodeResizedJpeg,
    files: imagesOf,
    workingBytesPerPixel: () => 0,
    // libvips reports every file of several scans as interlaced, also sequential ones.
    decoderBytes: ({ interlaced, width, height, bytesPerPixel }) =>
      interlaced ? coefficientBytes(width * height, bytesPerPixel) : 0,
    shrinks: true,
  },
  fallback: { applies: isDeepJpeg, load: async () => (await import('./deep.ts')).deepJpegReader },
  checkHeader: (bytes, page, limits) =>
    checkJpegScans(imagesOf(bytes)[page - 1] ?? bytes, limits?.jpegScans ?? DEFAULT_MAX_JPEG_SCANS),
  encode: (image, encoding, context) => encodeJpeg(context, image, lossySettings(encoding)),
};
