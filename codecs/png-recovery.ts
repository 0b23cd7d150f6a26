/**
 * A PNG that ends early or is damaged, made whole: the rows that are there, and empty ones for those that are not. libvips
 * would leave in their place what it had in memory: earlier rows of the picture.
 */
import { crc32, deflateSync } from 'node:zlib';
import { Unzlib } from 'fflate';
import { corruptImage } from './errors.ts';
import { concat, latin1, Reader } from './metadata/bytes.ts';
import { chunk, SIGNATURE } from './metadata/png-chunks.ts';
import { filteredBytes, type Pass, passesOf } from './png-rows.ts';

/** Decoded: a damaged picture that is larger is refused, rather than held twice. */
const MOST_BYTES = 512 * 2 ** 20;

/** A fault costs what its piece would have given. */
const PIECE_BYTES = 4096;

/**
 * @returns the file itself where nothing is wrong with it
 * @throws Failure `corrupt_image` for a file without a header, or without any row
 */
export function recoverPng(bytes: Uint8Array): Uint8Array {
  const { head, coded, header, intact } = partsOf(bytes);
  if (intact) return bytes;
  const passes = passesOf(header);
  const length = filteredBytes(passes);
  if (length > MOST_BYTES) throw corruptImage('png', `a damaged picture of ${length} bytes`);
  const rows = new Uint8Array(length);
  if (inflateInto(rows, coded) === 0) throw corruptImage('png', 'no row can be read');
  emptyFromFault(rows, passes);
  const packed = deflateSync(rows, { level: 1 });
  return concat([head, chunk('IDAT', packed), chunk('IEND', new Uint8Array(0))]);
}

interface Parts {
  /** The signature and the chunks before the first row. */
  head: Uint8Array;
  coded: Uint8Array[];
  header: Uint8Array;
  /** All chunks of rows are there with the right checksums, and the end. */
  intact: boolean;
}

/** As `chunksOf`, of a file that may end anywhere. */
function partsOf(bytes: Uint8Array): Parts {
  const reader = new Reader(bytes, 'png');
  const header = reader.slice(SIGNATURE.length + 8, 13);
  const coded: Uint8Array[] = [];
  let headEnd = SIGNATURE.length;
  let intact = true;
  let ended = false;
  for (let start = headEnd; start + 8 <= bytes.length; ) {
    const length = reader.u32(start);
    const name = latin1(bytes.subarray(start + 4, start + 8));
    const end = start + 12 + length;
    if (name === 'IDAT') {
      coded.push(bytes.subarray(start + 8, Math.min(bytes.length, start + 8 + length)));
      intact &&= end <= bytes.length && crc32(bytes.subarray(start + 4, end - 4)) === reader.u32(end - 4);
    } else if (name === 'IEND') {
      ended = true;
      break;
    } else if (coded.length === 0) {
      headEnd = end;
    }
    start = end;
  }
  return { head: bytes.subarray(0, headEnd), coded, header, intact: intact && ended };
}

const MOST_FILTER = 4;

/** Empties everything from the first row on whose filter there is not: what a fault has left, and no reader would take. */
function emptyFromFault(data: Uint8Array, passes: readonly Pass[]): void {
  let at = 0;
  for (const { rows, rowBytes } of passes)
    for (let row = 0; row < rows; row += 1, at += rowBytes)
      if (data[at]! > MOST_FILTER) {
        data.fill(0, at);
        return;
      }
}

/** @returns the bytes that could be read */
function inflateInto(rows: Uint8Array, coded: readonly Uint8Array[]): number {
  let filled = 0;
  const inflate = new Unzlib((decoded) => {
    const fits = decoded.subarray(0, rows.length - filled);
    rows.set(fits, filled);
    filled += fits.length;
  });
  try {
    for (const part of coded)
      for (let from = 0; from < part.length; from += PIECE_BYTES) inflate.push(part.subarray(from, from + PIECE_BYTES));
  } catch {
    // What was read before the fault is what there is.
  }
  return filled;
}
