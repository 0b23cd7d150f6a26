/**
 * Reads JPEG files of more than 8 bits per sample, which libvips refuses: 12-bit DCT, and lossless with up to 16 bits.
 */
import { checkPixels } from '../../bitmap.ts';
import { unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { type JpegFrame, MARKER, readJpegFrame } from '../../jpeg-extended/headers.ts';
import { decodeLossless } from '../../jpeg-extended/lossless.ts';
import { magickReader } from '../../magick/read.ts';
import { stretchSamples } from '../../stretch-samples.ts';
import { FORMATS } from '../registry.ts';

const FORMAT_NAME = FORMATS.jpeg.name;
const dct = magickReader('jpeg');

/** @throws Failure `corrupt_image`, `unsupported_format` */
function losslessFrame(bytes: Uint8Array): (JpegFrame & { channels: 1 | 3 }) | undefined {
  const frame = readJpegFrame(bytes, FORMAT_NAME);
  if (frame.marker !== MARKER.sof3) return undefined;
  const channels = frame.components.length;
  if (channels !== 1 && channels !== 3) throw unsupportedFormat(`lossless JPEG with ${channels} components`);
  return { ...frame, channels };
}

export const deepJpegReader: FormatReader = {
  probe(bytes, request, context) {
    const frame = losslessFrame(bytes);
    if (!frame) return dct.probe(bytes, request, context);
    return { width: frame.width, height: frame.height, pages: 1, depth: 16, hasAlpha: false };
  },

  decode(bytes, request, context) {
    const frame = losslessFrame(bytes);
    if (!frame) return dct.decode(bytes, request, context);
    checkPixels(frame, request.maxPixels);
    const { values, truncated } = decodeLossless(bytes, frame);
    const { width, height, channels, precision } = frame;
    return { bitmap: { data: stretchSamples(values, precision), width, height, channels, truncated } };
  },
};
