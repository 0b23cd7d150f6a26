/**
 * Reads JPEG XL files with more channels than colour and alpha, with libjxl, which is part of ImageMagick: CMYK, whose
 * black is an extra channel, and images with depth or spot colours, which are left out. libvips refuses most of them.
 */
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader, PageRequest } from '../../format-reader.ts';
import { type Magick, releaseMagick, startMagick } from '../../magick/engine.ts';
import { withImages } from '../../magick/images.ts';
import { bitmapOf, exportPixels, profileOf, rgbOfCmyk } from '../../magick/samples.ts';
import { orient, uprightSize } from '../../orient.ts';
import type { VipsApi } from '../../vips.ts';
import { FORMATS } from '../registry.ts';
import { type WrittenType, withChannelTypes } from './channel-types.ts';
import { headerOf, wholeCodestream } from './codestream.ts';
import { CHANNEL, type JxlHeader } from './header.ts';

/** Of ImageMagick and libjxl, for each of the two files that are decoded. */
const WORKING_BYTES_PER_PIXEL = 40;

export const reader: FormatReader = {
  probe(bytes, request) {
    const header = checkedHeader(bytes, request);
    return {
      ...uprightSize(header, header.orientation),
      pages: 1,
      depth: 8,
      storedDepth: header.bitDepth,
      hasAlpha: header.hasAlpha,
      // Of an animation the first frame is read.
      animated: header.fields?.isAnimated ?? false,
      workingBytes: header.width * header.height * WORKING_BYTES_PER_PIXEL,
    };
  },
  async decode(bytes, { maxPixels, ...request }, { vips }) {
    const header = checkedHeader(bytes, request);
    checkPixels(header, maxPixels);
    const magick = await startMagick();
    try {
      const black = header.extraChannels.findIndex(({ type }) => type === CHANNEL.black);
      const bitmap =
        black < 0 ? decodeRgb(magick, vips, bytes, header) : decodeCmyk(magick, vips, bytes, header, black);
      return { bitmap };
    } finally {
      await releaseMagick();
    }
  },
};

function checkedHeader(bytes: Uint8Array, { page }: Pick<PageRequest, 'page'>): JxlHeader {
  if (page > 1) throw pageOutOfRange(page, 1);
  return headerOf(bytes);
}

const REQUEST = { format: 'jxl', ping: false, frame: 0 } as const;

const decodeRgb = (magick: Magick, vips: VipsApi, bytes: Uint8Array, { hasAlpha }: JxlHeader): Bitmap =>
  withImages(magick, bytes, REQUEST, (_, image) => orient(bitmapOf(magick, vips, image, hasAlpha), image.orientation));

/** Decodes colour and black of one file in which black is declared as alpha, and alpha of the file itself. */
function decodeCmyk(
  magick: Magick,
  vips: VipsApi,
  bytes: Uint8Array,
  { extraChannels, hasAlpha }: JxlHeader,
  black: number,
): Bitmap {
  const types = new Map<number, WrittenType>([[black, CHANNEL.alpha]]);
  for (const [place, { type }] of extraChannels.entries()) if (type === CHANNEL.alpha) types.set(place, CHANNEL.depth);
  const changed = withChannelTypes(wholeCodestream(bytes), types);
  const alpha = hasAlpha ? withImages(magick, bytes, REQUEST, (_, image) => exportPixels(image, 'A')) : undefined;
  return withImages(magick, changed, REQUEST, (_, image) => {
    const { width, height, hasAlpha: hasBlack } = image;
    if (!hasBlack) throw corruptImage(FORMATS.jxl.name, 'black cannot be read');
    const samples = exportPixels(image, 'RGBA');
    // In JPEG XL the highest value is no ink.
    for (let at = 0; at < samples.length; at += 1) samples[at] = 255 - samples[at]!;
    const data = rgbOfCmyk(vips, samples, { width, height, bands: 4, icc: profileOf(image) });
    const bitmap: Bitmap = { width, height, ...withAlpha(data, alpha), converted: true };
    return orient(bitmap, image.orientation);
  });
}

function withAlpha(rgb: Uint8Array, alpha: Uint8Array | undefined): Pick<Bitmap, 'data' | 'channels'> {
  if (!alpha) return { data: rgb, channels: 3 };
  const data = new Uint8Array(alpha.length * 4);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    data.set(rgb.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
    data[pixel * 4 + 3] = alpha[pixel]!;
  }
  return { data, channels: 4 };
}
