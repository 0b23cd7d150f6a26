/**
 * Reads X bitmaps, which are C source (X Consortium, "Xlib - C Language X Interface", section 16.9; X10 as in bitmap(1)
 * of X10R4).
 */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { latin1 } from '../../metadata/bytes.ts';

/** Maximum bytes of definitions and comments before the numbers, because a hostile file could contain any number. */
const MAX_HEADER_BYTES = 16_384;

/** The lengths of names are limited to bound the search. */
const ARRAY = /\b(char|short)\s{1,16}\w{0,256}bits\s{0,16}\[\s{0,16}\w{0,256}\s{0,16}\]\s{0,16}=\s{0,16}\{/;

interface XbmHeader extends StillHeader {
  /** X10: numbers of 16 bits instead of 8. */
  short: boolean;
  pixelsAt: number;
}

/**
 * Detects XBM. Safe on the main thread. Any C source may start with definitions, so width, height and an array are
 * required.
 */
export const isXbm = (bytes: Uint8Array): boolean => readHeader(bytes) !== undefined;

function readHeader(bytes: Uint8Array): XbmHeader | undefined {
  const text = latin1(bytes.subarray(0, MAX_HEADER_BYTES));
  const array = ARRAY.exec(text);
  if (!array) return undefined;
  const head = text.slice(0, array.index);
  const width = /^[ \t]*#[ \t]*define[ \t]+(?:\w*_)?width[ \t]+(\d{1,6})\s/m.exec(head);
  const height = /^[ \t]*#[ \t]*define[ \t]+(?:\w*_)?height[ \t]+(\d{1,6})\s/m.exec(head);
  if (!width || !height) return undefined;
  return {
    width: Number(width[1]),
    height: Number(height[1]),
    short: array[1] === 'short',
    pixelsAt: array.index + array[0].length,
  };
}

/**
 * Reads the pixels. The lowest bit is the leftmost pixel; 1 is the foreground, black. Each row starts with a new
 * number.
 */
function readPixels(bytes: Uint8Array, { width, height, short, pixelsAt }: XbmHeader): Bitmap | undefined {
  const bits = short ? 16 : 8;
  const perRow = Math.ceil(width / bits);
  const data = new Uint8Array(width * height);
  const numbers = numberReader(bytes, pixelsAt);
  let present = 0;
  for (let y = 0; y < height; y++, present++) {
    for (let column = 0; column < perRow; column++) {
      const number = numbers();
      if (number < 0) return present === 0 ? undefined : { data, width, height, channels: 1, truncated: true };
      const left = column * bits;
      const count = Math.min(bits, width - left);
      for (let bit = 0, write = y * width + left; bit < count; bit++) data[write++] = ((number >> bit) & 1) - 1;
    }
  }
  return { data, width, height, channels: 1, truncated: false };
}

const ZERO = 0x30;
const CLOSING_BRACE = 0x7d;

/** Returns a function that reads the next number of a C initializer: hexadecimal, octal or decimal; -1 at the end. */
function numberReader(bytes: Uint8Array, from: number): () => number {
  let at = from;
  return () => {
    while (at < bytes.length && !isDigit(bytes[at]!)) {
      if (bytes[at] === CLOSING_BRACE) return -1;
      at++;
    }
    if (at >= bytes.length) return -1;
    let base = 10;
    if (bytes[at] === ZERO) {
      at++;
      base = ((bytes[at] ?? 0) | 0x20) === 0x78 ? 16 : 8;
      if (base === 16) at++;
    }
    let value = 0;
    for (; at < bytes.length; at++) {
      const digit = digitOf(bytes[at]!);
      if (digit >= base) break;
      value = (value * base + digit) & 0xffff;
    }
    return value;
  };
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;

function digitOf(byte: number): number {
  if (isDigit(byte)) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 16;
}

export const still = stillFormat({ readHeader, readPixels });
