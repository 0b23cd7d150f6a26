/**
 * Reads QOI, the Quite OK Image format (Dominic Szablewski, "The Quite OK Image Format", specification version 1.0,
 * 2022).
 */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const MAGIC = 'qoif';
const HEADER_BYTES = 14;

const OP_RGB = 0xfe;
const OP_RGBA = 0xff;
const OP_INDEX = 0;
const OP_DIFF = 1;
const OP_LUMA = 2;

interface QoiHeader extends StillHeader {
  channels: 3 | 4;
}

function readHeader(bytes: Uint8Array): QoiHeader | undefined {
  const reader = new Reader(bytes, FORMATS.qoi.name);
  const channels = reader.u8(12);
  if (reader.text(0, MAGIC.length) !== MAGIC || (channels !== 3 && channels !== 4)) return undefined;
  return { width: reader.u32(4), height: reader.u32(8), channels, hasAlpha: channels === 4 };
}

function readPixels(bytes: Uint8Array, { width, height, channels }: QoiHeader): Bitmap | undefined {
  const data = new Uint8Array(width * height * channels);
  const seen = new Uint8Array(64 * 4);
  let red = 0;
  let green = 0;
  let blue = 0;
  let alpha = 255;
  let run = 0;
  let read = HEADER_BYTES;
  let write = 0;
  while (write < data.length) {
    if (run > 0) {
      run--;
    } else {
      const op = bytes[read];
      if (op === undefined || read + operands(op) >= bytes.length) break;
      read++;
      if (op === OP_RGB || op === OP_RGBA) {
        red = bytes[read]!;
        green = bytes[read + 1]!;
        blue = bytes[read + 2]!;
        if (op === OP_RGBA) alpha = bytes[read + 3]!;
        read += op === OP_RGBA ? 4 : 3;
      } else if (op >> 6 === OP_INDEX) {
        const slot = op * 4;
        red = seen[slot]!;
        green = seen[slot + 1]!;
        blue = seen[slot + 2]!;
        alpha = seen[slot + 3]!;
      } else if (op >> 6 === OP_DIFF) {
        red = (red + ((op >> 4) & 3) - 2) & 0xff;
        green = (green + ((op >> 2) & 3) - 2) & 0xff;
        blue = (blue + (op & 3) - 2) & 0xff;
      } else if (op >> 6 === OP_LUMA) {
        const more = bytes[read++]!;
        const change = (op & 0x3f) - 32;
        red = (red + change - 8 + (more >> 4)) & 0xff;
        green = (green + change) & 0xff;
        blue = (blue + change - 8 + (more & 0xf)) & 0xff;
      } else {
        run = op & 0x3f;
      }
      const slot = ((red * 3 + green * 5 + blue * 7 + alpha * 11) & 63) * 4;
      seen[slot] = red;
      seen[slot + 1] = green;
      seen[slot + 2] = blue;
      seen[slot + 3] = alpha;
    }
    data[write] = red;
    data[write + 1] = green;
    data[write + 2] = blue;
    if (channels === 4) data[write + 3] = alpha;
    write += channels;
  }
  return write === 0 ? undefined : { data, width, height, channels, truncated: write < data.length };
}

/** Returns the number of bytes after the opcode. */
function operands(op: number): number {
  if (op === OP_RGBA) return 4;
  if (op === OP_RGB) return 3;
  return op >> 6 === OP_LUMA ? 1 : 0;
}

export const still = stillFormat({ readHeader, readPixels });
