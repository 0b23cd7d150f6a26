/** Packed bitonal images: a page's mask or the shape of a character. */

import type { Size } from '../../../base/geometry.ts';
import { reducedSize } from './raster.ts';

/**
 * Rows from top to bottom. Pixel x is bit x mod 32 of word x / 32 of its row, the least significant first; 1 is black.
 */
export interface Mask extends Size {
  /** Words of a row. */
  stride: number;
  words: Int32Array;
}

export function createMask(width: number, height: number): Mask {
  const stride = Math.ceil(width / 32);
  return { width, height, stride, words: new Int32Array(stride * height) };
}

/**
 * Blackens the pixels of `mask` that are black in `shape`, whose top left corner is at `left`, `top`. Parts outside are
 * cut off.
 */
export function stamp(mask: Mask, shape: Mask, left: number, top: number): void {
  const shift = left & 31;
  const firstWord = left >> 5;
  const endRow = Math.min(shape.height, mask.height - top);
  for (let row = Math.max(0, -top); row < endRow; row++) {
    const from = row * shape.stride;
    const to = (top + row) * mask.stride;
    for (let index = 0; index < shape.stride; index++) {
      const word = shape.words[from + index]!;
      if (word === 0) continue;
      const column = firstWord + index;
      if (column >= 0 && column < mask.stride) mask.words[to + column]! |= word << shift;
      if (shift !== 0 && column + 1 >= 0 && column + 1 < mask.stride) {
        mask.words[to + column + 1]! |= word >>> (32 - shift);
      }
    }
  }
}

/** Removes white edges. An entirely white mask becomes 0 x 0. */
export function crop(mask: Mask): Mask {
  const { width, height, stride, words } = mask;
  let top = 0;
  let end = height;
  const isBlank = (row: number) => {
    for (let at = row * stride; at < (row + 1) * stride; at++) if (words[at] !== 0) return false;
    return true;
  };
  while (top < end && isBlank(top)) top++;
  while (end > top && isBlank(end - 1)) end--;
  if (top === end) return createMask(0, 0);

  const columns = new Int32Array(stride);
  for (let at = top * stride; at < end * stride; at++) columns[at % stride]! |= words[at]!;
  let first = 0;
  while (columns[first] === 0) first++;
  let last = stride - 1;
  while (columns[last] === 0) last--;
  const left = first * 32 + 31 - Math.clz32(columns[first]! & -columns[first]!);
  const right = last * 32 + 31 - Math.clz32(columns[last]!);
  if (left === 0 && right === width - 1 && top === 0 && end === height) return mask;

  const cropped = createMask(right - left + 1, end - top);
  stamp(cropped, mask, -left, -top);
  return cropped;
}

/** The share of black in each square of `reduction` x `reduction` pixels, 0 to 255, rows from top to bottom. */
export interface Coverage extends Size {
  data: Uint8Array;
}

/**
 * Shrinks a mask. The first square is in the bottom left corner; squares at the top and right edges may be cut off.
 * @param reduction 2, 4 or 8
 */
export function reduceMask({ width, height, stride, words }: Mask, reduction: number): Coverage {
  const size = reducedSize({ width, height }, reduction);
  const data = new Uint8Array(size.width * size.height);
  const squareBits = 2 ** reduction - 1;
  const lastBits = width % 32 === 0 ? -1 : 2 ** (width % 32) - 1;
  for (let y = 0; y < height; y++) {
    const row = (size.height - 1 - Math.floor((height - 1 - y) / reduction)) * size.width;
    for (let index = 0; index < stride; index++) {
      let word = words[y * stride + index]! & (index === stride - 1 ? lastBits : -1);
      for (let at = row + (index * 32) / reduction; word !== 0; at++, word >>>= reduction) {
        data[at]! += BIT_COUNTS[word & squareBits]!;
      }
    }
  }
  for (let y = 0, at = 0; y < size.height; y++) {
    const rows = y === 0 ? height - (size.height - 1) * reduction : reduction;
    for (let x = 0; x < size.width; x++, at++) {
      const columns = x === size.width - 1 ? width - x * reduction : reduction;
      data[at] = Math.round((data[at]! * 255) / (rows * columns));
    }
  }
  return { data, ...size };
}

const BIT_COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
