/** Reads Windows and OS/2 bitmaps. */
import { type Bitmap, type BitmapContent, checkPixels } from '../../bitmap.ts';
import { type DibHeader, readDibHeader } from '../../dib.ts';
import { decodeDib } from '../../dib-read.ts';
import { corruptImage } from '../../errors.ts';
import type { Samples } from '../../samples.ts';

export const NAME = 'BMP';

const FILE_HEADER_BYTES = 14;
const PIXELS_AT = 10;

/**
 * Reads the header, before any pixel is decoded.
 * @throws Failure `corrupt_image`
 */
export function probeBmp(bytes: Uint8Array): DibHeader {
  const header = readDibHeader(bytes.subarray(FILE_HEADER_BYTES));
  if (!header) throw corruptImage(NAME);
  return header;
}

/**
 * Decodes a bitmap, or returns the JPEG or PNG file embedded in it.
 * @param maxPixels checked before anything is allocated
 * @throws Failure `corrupt_image`, `image_too_large`
 */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): BitmapContent<Bitmap & Samples<3 | 4>> {
  const dib = bytes.subarray(FILE_HEADER_BYTES);
  const header = readDibHeader(dib);
  if (!header) throw corruptImage(NAME);
  const pixelsAt = findPixels(bytes, header);
  if (header.coding === 'jpeg' || header.coding === 'png') {
    return { embedded: { format: header.coding, bytes: dib.subarray(pixelsAt) } };
  }
  checkPixels(header, maxPixels);
  const decoded = decodeDib(dib, header, pixelsAt);
  if (!decoded) throw corruptImage(NAME);
  const { profile, density } = header;
  const icc = profile && dib.subarray(profile.at, profile.at + profile.bytes);
  return { bitmap: { ...decoded, density, icc } };
}

/** Returns the offset of the pixels from the start of the bitmap's header. */
function findPixels(bytes: Uint8Array, { palette }: DibHeader): number {
  const declared = new DataView(bytes.buffer, bytes.byteOffset).getUint32(PIXELS_AT, true) - FILE_HEADER_BYTES;
  // Some writers leave the offset at 0; the pixels then follow the palette.
  return declared >= palette.at ? declared : palette.at + palette.colours * palette.bytesPerColour;
}
