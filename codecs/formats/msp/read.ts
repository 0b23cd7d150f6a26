/**
 * Reads images of Microsoft Paint 1 and 2 (Murray and vanRyper, "Encyclopedia of Graphics File Formats", "Microsoft
 * Paint").
 */
import type { Bitmap } from '../../bitmap.ts';
import { bitmapOfBits } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const HEADER_BYTES = 32;
const PLAIN = 'DanM';
const CODED = 'LinS';
const WHITE = 0xff;

interface MspHeader extends StillHeader {
  coded: boolean;
}

function readHeader(bytes: Uint8Array): MspHeader | undefined {
  const reader = new Reader(bytes, FORMATS.msp.name, true);
  const key = reader.text(0, 4);
  if (key !== PLAIN && key !== CODED) return undefined;
  return { width: reader.u16(4), height: reader.u16(6), coded: key === CODED };
}

function readPixels(bytes: Uint8Array, { width, height, coded }: MspHeader): Bitmap | undefined {
  const stride = Math.ceil(width / 8);
  const rows = coded ? expand(bytes, stride, height) : { bytes, at: HEADER_BYTES, stride };
  return bitmapOfBits(rows, { width, height }, 255);
}

/**
 * Expands the rows. A table behind the header has the coded length of each row; a row of length 0 is white. A zero byte
 * is followed by the length of a run and its value, any other byte by that many literal bytes.
 */
function expand(bytes: Uint8Array, stride: number, height: number) {
  const reader = new Reader(bytes, FORMATS.msp.name, true);
  const expanded = new Uint8Array(stride * height).fill(WHITE);
  let at = HEADER_BYTES + 2 * height;
  let row = 0;
  for (; row < height && HEADER_BYTES + 2 * row + 2 <= bytes.length; row++) {
    const end = at + reader.u16(HEADER_BYTES + 2 * row);
    if (end > bytes.length) break;
    let write = row * stride;
    const rowEnd = write + stride;
    for (let read = at; read < end && write < rowEnd; ) {
      const count = bytes[read++]!;
      if (count === 0) {
        const runEnd = Math.min(rowEnd, write + bytes[read]!);
        expanded.fill(bytes[read + 1]!, write, runEnd);
        read += 2;
        write = runEnd;
      } else {
        const literals = bytes.subarray(read, Math.min(read + count, end, read + rowEnd - write));
        expanded.set(literals, write);
        write += literals.length;
        read += count;
      }
    }
    at = end;
  }
  return { bytes: expanded.subarray(0, row * stride), at: 0, stride };
}

export const still = stillFormat({ readHeader, readPixels });
