/** Unpacks bitplanes and gathers the bits of a pixel. */

import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { unpackBits } from '../../legacy/packbits-read.ts';
import type { Chunk, IffImage } from './chunks.ts';
import { type BitmapHeader, NAME } from './header.ts';
import { expandVertical } from './vertical-runs.ts';

const UNPACKED = 0;
const BYTE_RUN_1 = 1;
const VERTICAL_RUNS = 2;
/** Two bytes of ByteRun1 become at most 128. */
const MAX_EXPANSION_RATIO = 64;

export interface Planes {
  bytes: Uint8Array;
  /** Bytes of a row of one plane. */
  rowBytes: number;
  /** Bytes from a plane to the next in the same row. */
  planeStep: number;
  /** Bytes from a row to the next. */
  rowStep: number;
  /** Number of rows that are at least partly present. */
  rows: number;
  truncated: boolean;
}

/**
 * Unpacks the body. Rows of bitplanes are padded to 16 pixels, those of indices (PBM) to two.
 * @throws Failure `corrupt_image`, `unsupported_format`
 */
export function unpackPlanes(image: IffImage, header: BitmapHeader): Planes {
  const { width, height, planes, maskPlane } = header;
  const contiguous = image.type === 'ACBM';
  const chunky = image.type === 'PBM ';
  const chunk = image.chunks.get(contiguous ? 'ABIT' : 'BODY');
  if (!chunk) throw corruptImage(NAME, 'no body');
  const rowBytes = chunky ? width + (width & 1) : Math.ceil(width / 16) * 2;
  const planesStored = chunky ? 1 : planes + (maskPlane ? 1 : 0);
  const size = rowBytes * planesStored * height;
  const unpacked = unpackBody(chunk, contiguous ? UNPACKED : header.compression, size, rowBytes, height);
  const planeStep = contiguous ? rowBytes * height : rowBytes;
  const rowStep = contiguous ? rowBytes : rowBytes * planesStored;
  const rows = contiguous ? height : Math.min(height, Math.ceil(unpacked.length / rowStep));
  if (unpacked.length === 0) throw corruptImage(NAME, 'empty body');
  // Writers of contiguous planes omit the mask.
  const needed = contiguous ? rowBytes * planes * height : size;
  return { bytes: unpacked, rowBytes, planeStep, rowStep, rows, truncated: unpacked.length < needed };
}

function unpackBody({ data }: Chunk, compression: number, size: number, rowBytes: number, height: number): Uint8Array {
  if (compression === UNPACKED) return data.subarray(0, size);
  if (compression === VERTICAL_RUNS) return expandVertical(data, size, rowBytes, height);
  if (compression !== BYTE_RUN_1) throw unsupportedFormat(`an Amiga IFF of compression ${compression}`);
  const bytes = new Uint8Array(Math.min(size, data.length * MAX_EXPANSION_RATIO));
  // Some writers let runs cross the ends of rows, so the body is one stream.
  return bytes.subarray(0, unpackBits(data, 0, data.length, bytes, 0, bytes.length).write);
}

/** Indexed by a byte of a plane: its eight pixels, each 0 or 1 in the lowest bit of a byte, four to a word. */
const SPREAD = makeSpread();

function makeSpread(): Uint32Array {
  const pixels = new Uint8Array(256 * 8);
  for (let at = 0; at < pixels.length; at++) pixels[at] = ((at >> 3) >> (7 - (at & 7))) & 1;
  return new Uint32Array(pixels.buffer);
}

/**
 * Gathers up to eight planes of a row from `plane` on into bytes, the first plane in the lowest bit.
 * @param row buffer of twice as many words as a row of a plane has bytes
 */
export function gatherRow(source: Planes, y: number, plane: number, count: number, row: Uint32Array): void {
  const { bytes, rowBytes, planeStep, rowStep } = source;
  const start = y * rowStep + plane * planeStep;
  for (let column = 0; column < rowBytes; column++) {
    let left = 0;
    let right = 0;
    for (let bit = 0, at = start + column; bit < count; bit++, at += planeStep) {
      const byte = bytes[at] ?? 0;
      left |= SPREAD[byte * 2]! << bit;
      right |= SPREAD[byte * 2 + 1]! << bit;
    }
    row[column * 2] = left;
    row[column * 2 + 1] = right;
  }
}
