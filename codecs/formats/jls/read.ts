/** Reads JPEG-LS files (ITU-T T.87): grey and RGB of up to 16 bits, lossless and near-lossless. */
import { checkPixels } from '../../bitmap.ts';
import { pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import type { JpegFrame } from '../../jpeg-extended/headers.ts';
import { decodeJpegLs, readJpegLsFrame } from '../../jpeg-ls.ts';
import { stretchSamples } from '../../stretch-samples.ts';
import { FORMATS } from '../registry.ts';

const FORMAT_NAME = FORMATS.jls.name;
const PAGES = 1;

/** @throws Failure `corrupt_image`, `page_out_of_range`, `unsupported_format` */
function readHeader(bytes: Uint8Array, page: number): JpegFrame & { channels: 1 | 3 } {
  const frame = readJpegLsFrame(bytes, FORMAT_NAME);
  if (page > PAGES) throw pageOutOfRange(page, PAGES);
  const channels = frame.components.length;
  if (channels !== 1 && channels !== 3) throw unsupportedFormat(`JPEG-LS with ${channels} components`);
  return { ...frame, channels };
}

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { width, height, precision } = readHeader(bytes, page);
    return { width, height, pages: PAGES, depth: precision > 8 ? 16 : 8, hasAlpha: false };
  },

  async decode(bytes, { page, maxPixels }) {
    const frame = readHeader(bytes, page);
    checkPixels(frame, maxPixels);
    const { values, truncated } = await decodeJpegLs(bytes, frame, FORMAT_NAME);
    const { width, height, channels, precision } = frame;
    return { bitmap: { data: stretchSamples(values, precision), width, height, channels, truncated } };
  },
};
