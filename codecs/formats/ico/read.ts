/** Reads Windows icons and cursors. Page 1 is the best image, whatever the order in the file. */
import { type Bitmap, type BitmapContent, checkPixels } from '../../bitmap.ts';
import type { ChannelMasks, DibHeader } from '../../dib.ts';
import { type DecodedDib, decodeDib, rowStride } from '../../dib-read.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { Samples } from '../../samples.ts';
import { FORMATS } from '../registry.ts';
import { type IconImage, readIconImages } from './directory.ts';

/**
 * Reads the headers of one image, before any pixel is decoded.
 * @param page 1-based
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
export function probeIco(bytes: Uint8Array, page: number): { width: number; height: number; pages: number } {
  const { image, pages } = findImage(bytes, page);
  return { width: image.width, height: image.height, pages };
}

/**
 * Decodes one image to RGBA, or returns the PNG file that it is stored as.
 * @param page 1-based
 * @param maxPixels checked before anything is allocated
 * @throws Failure `corrupt_image`, `page_out_of_range`, `image_too_large`
 */
export function decodeIco(bytes: Uint8Array, page: number, maxPixels: number): BitmapContent<Bitmap & Samples<4>> {
  const { image } = findImage(bytes, page);
  if (!image.dib) return { embedded: { format: 'png', bytes: image.bytes } };
  checkPixels(image, maxPixels);
  const header = withAlpha(image.dib);
  const { at, colours, bytesPerColour } = header.palette;
  const pixelsAt = at + colours * bytesPerColour;
  const decoded = decodeDib(image.bytes, header, pixelsAt);
  if (!decoded) throw corruptImage(FORMATS.ico.name);
  const rgba =
    decoded.channels === 4
      ? { ...decoded, channels: decoded.channels }
      : applyMask(decoded, image.bytes, header, pixelsAt);
  return { bitmap: { ...rgba, truncated: decoded.truncated, density: undefined, icc: undefined } };
}

function findImage(bytes: Uint8Array, page: number): { image: IconImage; pages: number } {
  const images = readIconImages(bytes);
  if (images.length === 0) throw corruptImage(FORMATS.ico.name);
  const image = images[page - 1];
  if (!image) throw pageOutOfRange(page, images.length);
  return { image, pages: images.length };
}

const ALPHA_MASK = 0xff000000;

/** Adds the alpha mask of an icon, where the fourth byte of a plain 32-bit pixel is alpha, unlike in a BMP file. */
function withAlpha(header: DibHeader): DibHeader {
  if (header.bitsPerPixel !== 32 || !header.masks) return header;
  const masks: ChannelMasks = { ...header.masks, alpha: header.masks.alpha || ALPHA_MASK };
  return { ...header, masks };
}

/**
 * Makes each pixel transparent whose bit is set in the mask that follows the pixels. A missing part of the mask hides
 * nothing.
 */
function applyMask(
  { data, width, height }: DecodedDib,
  bytes: Uint8Array,
  header: DibHeader,
  pixelsAt: number,
): Samples<4> {
  const rgba = new Uint8Array(width * height * 4);
  const maskAt = pixelsAt + rowStride(width, header.bitsPerPixel) * height;
  const maskStride = rowStride(width, 1);
  let read = 0;
  let write = 0;
  for (let y = 0; y < height; y++) {
    const row = maskAt + (header.topDown ? y : height - 1 - y) * maskStride;
    for (let x = 0; x < width; x++, read += 3, write += 4) {
      rgba[write] = data[read]!;
      rgba[write + 1] = data[read + 1]!;
      rgba[write + 2] = data[read + 2]!;
      const hidden = ((bytes[row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      rgba[write + 3] = hidden ? 0 : 255;
    }
  }
  return { data: rgba, width, height, channels: 4 };
}
