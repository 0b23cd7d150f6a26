/**
 * Reads MacPaint documents (Apple, Technical Note PT 24 "MacPaint Documents", 1983), with and without a MacBinary
 * header.
 */
import type { Bitmap } from '../../bitmap.ts';
import { unpackBits } from '../../legacy/packbits-read.ts';
import { greyOfBits } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { latin1 } from '../../metadata/bytes.ts';

const WIDTH = 576;
const HEIGHT = 720;
const STRIDE = WIDTH / 8;
/** A version, and 38 patterns of 8 bytes; the rest is zero. */
const HEADER_BYTES = 512;
const PATTERNS_END = 4 + 38 * 8;
const MAC_BINARY_BYTES = 128;
const FILE_TYPE_AT = 65;
const MAX_NAME_LENGTH = 63;
const FILE_TYPE = 'PNTG';
const NEWEST_VERSION = 3;

interface MacPaintHeader extends StillHeader {
  pixelsAt: number;
}

/**
 * Detects MacPaint. Safe on the main thread. Without MacBinary there is no signature, so the header must be plausible
 * and each row must have the exact length.
 */
export function isMacPaint(bytes: Uint8Array): boolean {
  if (hasMacBinary(bytes)) return true;
  return isHeader(bytes) && expand(bytes, HEADER_BYTES).rows === HEIGHT;
}

function hasMacBinary(bytes: Uint8Array): boolean {
  const nameLength = bytes[1] ?? 0;
  return (
    bytes.length > MAC_BINARY_BYTES + HEADER_BYTES &&
    bytes[0] === 0 &&
    nameLength > 0 &&
    nameLength <= MAX_NAME_LENGTH &&
    latin1(bytes.subarray(FILE_TYPE_AT, FILE_TYPE_AT + 4)) === FILE_TYPE
  );
}

function isHeader(bytes: Uint8Array): boolean {
  if (bytes.length <= HEADER_BYTES || bytes[0] || bytes[1] || bytes[2] || bytes[3]! > NEWEST_VERSION) return false;
  return bytes.subarray(PATTERNS_END, HEADER_BYTES).every((byte) => byte === 0);
}

function readHeader(bytes: Uint8Array): MacPaintHeader | undefined {
  const macBinary = hasMacBinary(bytes);
  if (!macBinary && bytes.length <= HEADER_BYTES) return undefined;
  return { width: WIDTH, height: HEIGHT, pixelsAt: macBinary ? MAC_BINARY_BYTES + HEADER_BYTES : HEADER_BYTES };
}

/** Expands the rows, which are packed separately. The first row with too few bytes ends the image. */
function expand(bytes: Uint8Array, at: number): { packed: Uint8Array; rows: number } {
  const packed = new Uint8Array(STRIDE * HEIGHT);
  let read = at;
  let rows = 0;
  for (; rows < HEIGHT; rows++) {
    const rowEnd = (rows + 1) * STRIDE;
    const ended = unpackBits(bytes, read, bytes.length, packed, rows * STRIDE, rowEnd);
    if (ended.write < rowEnd) break;
    read = ended.read;
  }
  return { packed, rows };
}

function readPixels(bytes: Uint8Array, { pixelsAt }: MacPaintHeader): Bitmap | undefined {
  const { packed, rows } = expand(bytes, pixelsAt);
  if (rows === 0) return undefined;
  const data = greyOfBits({ bytes: packed, at: 0, stride: STRIDE }, WIDTH, HEIGHT, rows, 0);
  return { data, width: WIDTH, height: HEIGHT, channels: 1, truncated: rows < HEIGHT };
}

export const still = stillFormat({ readHeader, readPixels });
