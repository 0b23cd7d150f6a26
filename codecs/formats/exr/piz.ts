/**
 * PIZ: wavelets, then Huffman codes of whole samples (OpenEXR Technical Introduction, "Data Compression";
 * ImfPizCompressor).
 */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { huffmanDecode } from './piz-huffman.ts';

const VALUES = 1 << 16;
const BITMAP_BYTES = VALUES >> 3;
/** Below it sums do not overflow, so no modulo arithmetic is needed. */
const SMALL_VALUES = 1 << 14;

export interface Plane extends Size {
  /** Words of 16 bits in a sample. */
  words: number;
}

/**
 * Returns the planes one after the other, as words in native byte order.
 * @throws Failure `corrupt_image`
 */
export function unpackPiz(packed: Uint8Array, planes: readonly Plane[]): Uint16Array {
  const reader = new Reader(packed, FORMATS.exr.name, true);
  const [first, last] = [reader.u16(0), reader.u16(2)];
  if (last >= BITMAP_BYTES) throw corruptImage(FORMATS.exr.name, 'bitmap');
  const bitmap = new Uint8Array(BITMAP_BYTES);
  let at = 4;
  if (first <= last) {
    bitmap.set(reader.slice(at, last - first + 1), first);
    at += last - first + 1;
  }
  const { table, largest } = tableOf(bitmap);
  const words = planes.reduce((sum, plane) => sum + plane.width * plane.height * plane.words, 0);
  const data = huffmanDecode(reader.slice(at + 4, reader.u32(at)), words);
  let start = 0;
  for (const plane of planes) {
    for (let word = 0; word < plane.words; word++) unwave(data, start + word, plane, largest);
    start += plane.width * plane.height * plane.words;
  }
  for (let index = 0; index < data.length; index++) data[index] = table[data[index]!]!;
  return data;
}

/** Lists the values that occur, ascending; 0 is always among them. */
function tableOf(bitmap: Uint8Array): { table: Uint16Array; largest: number } {
  const table = new Uint16Array(VALUES);
  let count = 0;
  for (let value = 0; value < VALUES; value++) {
    if (value === 0 || (bitmap[value >> 3]! & (1 << (value & 7))) !== 0) table[count++] = value;
  }
  return { table, largest: count - 1 };
}

/** Undoes the two-dimensional Haar wavelet, from the coarsest level down. */
function unwave(data: Uint16Array, start: number, { width, height, words }: Plane, largest: number): void {
  const decode = largest < SMALL_VALUES ? decodeSmall : decodeLarge;
  const [stepX, stepY] = [words, width * words];
  let coarse = 1;
  while (coarse <= Math.min(width, height)) coarse <<= 1;
  coarse >>= 1;
  for (let fine = coarse >> 1; fine >= 1; coarse = fine, fine >>= 1) {
    const [right, below] = [stepX * fine, stepY * fine];
    let y = 0;
    for (; y <= height - coarse; y += coarse) {
      let x = 0;
      let at = start + y * stepY;
      for (; x <= width - coarse; x += coarse, at += stepX * coarse) {
        decode(data, at, at + below);
        decode(data, at + right, at + below + right);
        decode(data, at, at + right);
        decode(data, at + below, at + below + right);
      }
      if ((width & fine) !== 0) decode(data, at, at + below);
    }
    if ((height & fine) === 0) continue;
    let at = start + y * stepY;
    for (let x = 0; x <= width - coarse; x += coarse, at += stepX * coarse) decode(data, at, at + right);
  }
}

/** Converts mean and difference to two values. */
function decodeSmall(data: Uint16Array, low: number, high: number): void {
  const mean = (data[low]! << 16) >> 16;
  const difference = (data[high]! << 16) >> 16;
  const value = mean + (difference & 1) + (difference >> 1);
  data[low] = value;
  data[high] = value - difference;
}

function decodeLarge(data: Uint16Array, low: number, high: number): void {
  const difference = data[high]!;
  const value = (data[low]! - (difference >> 1)) & 0xffff;
  data[high] = value;
  data[low] = difference + value - 0x8000;
}
