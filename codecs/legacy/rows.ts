/** Converts rows of packed pixels to samples, as most of the old formats need. */

import type { Size } from '../../base/geometry.ts';
import type { Bitmap } from '../bitmap.ts';

export interface PackedRows {
  bytes: Uint8Array;
  /** Offset of the first row. */
  at: number;
  /** Bytes from one row to the next. */
  stride: number;
}

/** Returns how many of `height` rows are present. The padding of the last one may be missing. */
export const rowsPresent = ({ bytes, at, stride }: PackedRows, rowBytes: number, height: number): number =>
  Math.max(0, Math.min(height, Math.floor((bytes.length - at + stride - rowBytes) / stride)));

/** Reads an image of one bit per pixel as grey; undefined if no row is present. @param one grey of the set bits */
export function bitmapOfBits(rows: PackedRows, { width, height }: Size, one: 0 | 255): Bitmap | undefined {
  const present = rowsPresent(rows, Math.ceil(width / 8), height);
  if (present === 0) return undefined;
  const data = greyOfBits(rows, width, height, present, one);
  return { data, width, height, channels: 1, truncated: present < height };
}

/** Converts rows of one bit per pixel, the highest bit first, to grey samples. Rows beyond `rows` stay black. */
export function greyOfBits(
  { bytes, at, stride }: PackedRows,
  width: number,
  height: number,
  rows: number,
  one: 0 | 255,
): Uint8Array {
  const grey = new Uint8Array(width * height);
  const flip = 255 - one;
  for (let y = 0, write = 0; y < rows; y++) {
    const row = at + y * stride;
    for (let x = 0; x < width; x++) grey[write++] = -((bytes[row + (x >> 3)]! >> (7 - (x & 7))) & 1) ^ flip;
  }
  return grey;
}

/** Converts rows of 1, 2, 4 or 8 bits per pixel, the highest bits first, to numbers. Rows beyond `rows` are 0. */
export function indicesOf(
  { bytes, at, stride }: PackedRows,
  width: number,
  height: number,
  rows: number,
  bits: number,
): Uint8Array {
  const indices = new Uint8Array(width * height);
  const perByteShift = bits === 8 ? 0 : bits === 4 ? 1 : bits === 2 ? 2 : 3;
  const inByte = (1 << perByteShift) - 1;
  const mask = (1 << bits) - 1;
  for (let y = 0, write = 0; y < rows; y++) {
    const row = at + y * stride;
    for (let x = 0; x < width; x++) {
      indices[write++] = (bytes[row + (x >> perByteShift)]! >> (8 - bits - (x & inByte) * bits)) & mask;
    }
  }
  return indices;
}

/**
 * Maps indices to RGB samples by a palette of RGB triples. Pixels from `painted` on and indices beyond the palette are
 * black.
 */
export function paint(indices: ArrayLike<number>, palette: Uint8Array, painted = indices.length): Uint8Array {
  const rgb = new Uint8Array(indices.length * 3);
  for (let read = 0, write = 0; read < painted; read++, write += 3) {
    const colour = indices[read]! * 3;
    rgb[write] = palette[colour]!;
    rgb[write + 1] = palette[colour + 1]!;
    rgb[write + 2] = palette[colour + 2]!;
  }
  return rgb;
}

/** Builds a palette from colours given as 0xRRGGBB. */
export const paletteOf = (colours: readonly number[]): Uint8Array =>
  Uint8Array.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]));

/** Converts big-endian 16-bit samples to native byte order. */
export function readBigEndian16(bytes: Uint8Array, at: number, present: number, samples: number): Uint16Array {
  const words = new Uint16Array(samples);
  for (let index = 0, read = at; index < present; index++, read += 2) {
    words[index] = (bytes[read]! << 8) | bytes[read + 1]!;
  }
  return words;
}
