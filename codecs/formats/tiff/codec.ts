import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions, pageOptions } from '../../loader.ts';
import { tryParse } from '../../metadata/damage.ts';
import { readTiffLayout } from './layout.ts';
import { tiffPages } from './pages.ts';
import { checkTiffPages } from './tags.ts';
import { isUnusualTiff } from './unusual.ts';
import { encodeJpegTiff, encodeTiff } from './write.ts';

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) =>
      vips.Image.tiffloadBuffer(bytes, { ...commonOptions(options), ...pageOptions(options), unlimited: true }),
    workingBytesPerPixel: ({ bytesPerPixel }) => bytesPerPixel,
    decoderBytes: ({ bytesPerPixel }, bytes, page) =>
      (tryParse(() => readTiffLayout(bytes, page))?.heldPixels ?? 0) * bytesPerPixel,
    shrinks: false,
  },
  fallback: { applies: isUnusualTiff, load: async () => (await import('../../magick/read.ts')).magickReader('tiff') },
  checkHeader: checkTiffPages,
  pages: tiffPages,
  encode: (image, encoding) => (encoding.lossless ? encodeTiff(image) : encodeJpegTiff(image, encoding)),
};
