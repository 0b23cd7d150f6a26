/**
 * A PNG that ends early or is damaged, made whole: the rows that are there, and empty ones for those that are not. libvips
 * would leave in their place what it had in memory: earlier rows of the picture.
 */
import { crc32, deflateSync } from 'node:zlib';
import { Unzlib } from 'fflate';
import { corruptImage } from './errors.ts';
import { concat, latin1, Reader } from './metadata/bytes.ts';
import { chunk, SIGNATURE } from './metadata/png-chunks.ts';

/** Decoded: a damaged picture that is larger is refused, rather than held twice. */
const MOST_BYTES = 512 * 2 ** 20;

/** A fault costs what its piece would have given. */
const PIECE_BYTES = 4096;

/** Samples of a pixel, by colour type (PNG, third edition, section 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The passes of an interlaced picture: the first column and row, and the steps between them (section 8.2). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * @returns the file itself where nothing is wrong with it
 * @throws Failure `corrupt_image` for a file without a header, or without any row
 */
export function recoverPng(bytes: Uint8Array): Uint8Array {
  const { head, coded, header, intact } = partsOf(bytes);
  if (intact) return bytes;
  const passes = passesOf(header);
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);
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

interface Pass {
  rows: number;
  /** Of a row, with its filter type in front. */
  rowBytes: number;
}

function passesOf(header: Uint8Array): Pass[] {
  const reader = new Reader(header, 'png');
  const [width, height] = [reader.u32(0), reader.u32(4)];
  const [depth, colour, interlace] = [header[8]!, header[9]!, header[12]!];
  const bits = depth * (SAMPLES[colour] ?? 4);
  const passes = interlace === 1 ? ADAM7 : ([[0, 0, 1, 1]] as const);
  return passes
    .map(([left, top, across, down]) => ({
      columns: Math.ceil((width - left) / across),
      rows: Math.ceil((height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map(({ columns, rows }) => ({ rows, rowBytes: 1 + Math.ceil((columns * bits) / 8) }));
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
