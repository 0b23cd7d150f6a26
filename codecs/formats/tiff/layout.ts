/**
 * Reads how the pixels of a TIFF page are laid out in the file. That decides how many of them libvips keeps to produce
 * the rows in order (TIFF 6.0, sections 3 and 15). Main-thread safe.
 */

import type { Size } from '../../../base/geometry.ts';
import { readTiffTags, type TiffTags } from './tags.ts';

const TAG = {
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  photometric: 262,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  planarConfiguration: 284,
  tileWidth: 322,
  tileLength: 323,
} as const;
const TAGS = Object.values(TAG);

const YCBCR = 6;
const SEPARATE_PLANES = 2;

export interface TiffLayout extends Size {
  bytesPerPixel: number;
  /** Decoded pixels that libvips keeps at a time. */
  heldPixels: number;
}

/**
 * Reads the layout of a page.
 * @param page 1-based
 * @returns undefined when there is no such page
 * @throws Failure `corrupt_image` when a directory is not inside the file
 */
export function readTiffLayout(bytes: Uint8Array, page: number): TiffLayout | undefined {
  const tags = readTiffTags(bytes, TAGS, page)[page - 1];
  const width = tags?.get(TAG.imageWidth) ?? 0;
  const height = tags?.get(TAG.imageLength) ?? 0;
  if (!tags || width === 0 || height === 0) return undefined;
  // Bits are unpacked to bytes.
  const bytesPerSample = Math.max(1, (tags.get(TAG.bitsPerSample) ?? 1) / 8);
  const bytesPerPixel = bytesPerSample * (tags.get(TAG.samplesPerPixel) ?? 1);
  return { width, height, bytesPerPixel, heldPixels: heldPixelsOf(tags, width, height) };
}

/**
 * Measured with 12000 x 8000 pixels of three bytes and a thumbnail as the result: tiles of 1024 and 4096 pixels took
 * two rows of tiles, one JPEG strip twice its pixels, one deflated strip of the same size nothing.
 */
function heldPixelsOf(tags: TiffTags, width: number, height: number): number {
  const tileWidth = tags.get(TAG.tileWidth);
  const tileHeight = tags.get(TAG.tileLength);
  if (tileWidth && tileHeight) {
    const tiledWidth = Math.ceil(width / tileWidth) * tileWidth;
    return tiledWidth * Math.min(2 * tileHeight, height) + tileWidth * tileHeight;
  }
  // Other strips of many rows are decoded row by row (libvips, tiff2vips.c, rtiff_header_read).
  const readsWholeStrips = tags.get(TAG.photometric) === YCBCR || tags.get(TAG.planarConfiguration) === SEPARATE_PLANES;
  if (!readsWholeStrips) return 0;
  // The strip, and its part of the image.
  return 2 * width * Math.min(height, tags.get(TAG.rowsPerStrip) ?? height);
}
