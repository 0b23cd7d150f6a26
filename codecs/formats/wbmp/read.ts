/**
 * Reads wireless bitmaps of type 0: one bit per pixel, uncompressed (WAP-237, "Wireless Application Environment Defined
 * Media Type Specification", 2001).
 */
import type { Bitmap } from '../../bitmap.ts';
import { bitmapOfBits } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';

interface WbmpHeader extends StillHeader {
  pixelsAt: number;
}

function readHeader(bytes: Uint8Array): WbmpHeader | undefined {
  // Type 0, and a fixed header without extension fields.
  if (bytes[0] !== 0 || bytes[1] !== 0) return undefined;
  const width = readInteger(bytes, 2);
  const height = width && readInteger(bytes, width.end);
  return width && height && { width: width.value, height: height.value, pixelsAt: height.end };
}

/**
 * Reads an integer of seven bits per byte, the highest first. The top bit means that another byte follows. Four bytes
 * are enough for any image.
 */
function readInteger(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const longest = 4;
  let value = 0;
  for (let read = at; read < at + longest; read++) {
    const byte = bytes[read];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: read + 1 };
  }
  return undefined;
}

function readPixels(bytes: Uint8Array, { pixelsAt, ...size }: WbmpHeader): Bitmap | undefined {
  const rows = { bytes, at: pixelsAt, stride: Math.ceil(size.width / 8) };
  return bitmapOfBits(rows, size, 255);
}

export const still = stillFormat({ readHeader, readPixels });
