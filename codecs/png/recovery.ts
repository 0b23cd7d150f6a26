/**
 * Repairs a PNG that ends early or is damaged: keeps the rows that can be read and replaces the others by empty ones.
 * For missing rows libvips would show stale memory: earlier rows of the image.
 */
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate } from 'node:zlib';
import { Unzlib } from 'fflate';
import { corruptImage } from '../errors.ts';
import { concat, latin1, Reader } from '../metadata/bytes.ts';
import { chunk, SIGNATURE } from '../metadata/png-chunks.ts';
import { filteredBytes, type Pass, passesOf } from './rows.ts';

/** Compressed bytes that are inflated at a time. A fault loses the output of its whole piece. */
const PIECE_BYTES = 4096;

/**
 * Repairs a file. Rows are streamed, because an image of 100 megapixels has up to 800 MB of them.
 * @param isDamaged its data are known to be damaged. Default: only if checksums are wrong, or the end is missing
 * @returns the file itself if nothing is wrong with it
 * @throws Failure `corrupt_image` for a file without a header, or without any row
 */
export async function recoverPng(bytes: Uint8Array, isDamaged = false): Promise<Uint8Array> {
  const { head, coded, header, intact } = partsOf(bytes);
  if (intact && !isDamaged) return bytes;
  const packed: Uint8Array[] = [];
  await pipeline(repairedRows(coded, passesOf(header)), createDeflate({ level: 1 }), async (chunks) => {
    for await (const part of chunks) packed.push(part);
  });
  return concat([head, chunk('IDAT', concat(packed)), chunk('IEND', new Uint8Array(0))]);
}

interface Parts {
  /** The signature and the chunks before the first row. */
  head: Uint8Array;
  coded: Uint8Array[];
  header: Uint8Array;
  /** All chunks of rows have correct checksums, and the end is present. */
  intact: boolean;
}

/** Like `chunksOf`, for a file that may end anywhere. */
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

/** The filter types are 0 to 4 (PNG, third edition, section 9.2). */
const MAX_FILTER = 4;

/** An empty row, or many of them. */
const EMPTY = new Uint8Array(2 ** 16);

/**
 * Yields all filtered rows, in pieces: those that can be read, up to the first one whose filter type does not exist.
 * Such a filter type is the result of a fault, and readers refuse it. The remaining rows are empty.
 */
function* repairedRows(coded: readonly Uint8Array[], passes: readonly Pass[]): Generator<Uint8Array> {
  const length = filteredBytes(passes);
  const starts = rowStarts(passes);
  let start = starts.next();
  let filled = 0;
  reading: for (const piece of inflatePieces(coded)) {
    const end = Math.min(length, filled + piece.length);
    for (; !start.done && start.value < end; start = starts.next())
      if (piece[start.value - filled]! > MAX_FILTER) {
        yield piece.subarray(0, start.value - filled);
        filled = start.value;
        break reading;
      }
    yield piece.subarray(0, end - filled);
    filled = end;
    if (filled === length) return;
  }
  if (filled === 0) throw corruptImage('png', 'no row can be read');
  for (; filled < length; filled += EMPTY.length) yield EMPTY.subarray(0, length - filled);
}

/** Yields the offset of each row, at its filter type. */
function* rowStarts(passes: readonly Pass[]): Generator<number> {
  let at = 0;
  for (const { rows, rowBytes } of passes) for (let row = 0; row < rows; row += 1, at += rowBytes) yield at;
}

/** Yields what can be inflated before a fault. */
function* inflatePieces(coded: readonly Uint8Array[]): Generator<Uint8Array> {
  let inflated: Uint8Array[] = [];
  const inflate = new Unzlib((piece) => inflated.push(piece));
  for (const part of coded)
    for (let from = 0; from < part.length; from += PIECE_BYTES) {
      let isFaulty = false;
      try {
        inflate.push(part.subarray(from, from + PIECE_BYTES));
      } catch {
        isFaulty = true;
      }
      yield* inflated;
      if (isFaulty) return;
      inflated = [];
    }
}
