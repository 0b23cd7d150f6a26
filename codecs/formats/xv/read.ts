/**
 * Reads the thumbnails that XV stores in `.xvpics`: eight bits per pixel, three for red and green, two for blue (John
 * Bradley, "XV Interactive Image Display for the X Window System", 1994, appendix on the thumbnail format).
 */
import type { Bitmap } from '../../bitmap.ts';
import { paint, rowsPresent } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { latin1 } from '../../metadata/bytes.ts';

const MAGIC = 'P7 332';
/** Maximum bytes of comments and numbers in a header, because a hostile file could contain any number. */
const MAX_HEADER_BYTES = 8192;

interface XvHeader extends StillHeader {
  pixelsAt: number;
}

function readHeader(bytes: Uint8Array): XvHeader | undefined {
  const text = latin1(bytes.subarray(0, MAX_HEADER_BYTES));
  if (!text.startsWith(MAGIC)) return undefined;
  // Comment lines, then width, height and the maximum level.
  const found = /^P7 332[^\n]*\n(?:#[^\n]*\n)*\s*(\d{1,6})\s+(\d{1,6})\s+(\d{1,6})\s/.exec(text);
  return found ? { width: Number(found[1]), height: Number(found[2]), pixelsAt: found[0].length } : undefined;
}

/** Builds the palette. Levels are rounded down, as in XV. */
function levels332(): Uint8Array {
  const palette = new Uint8Array(256 * 3);
  for (let value = 0; value < 256; value++) {
    palette[value * 3] = ((value >> 5) * 255) / 7;
    palette[value * 3 + 1] = (((value >> 2) & 7) * 255) / 7;
    palette[value * 3 + 2] = ((value & 3) * 255) / 3;
  }
  return palette;
}

function readPixels(bytes: Uint8Array, { width, height, pixelsAt }: XvHeader): Bitmap | undefined {
  const present = rowsPresent({ bytes, at: pixelsAt, stride: width }, width, height);
  if (present === 0) return undefined;
  const indices = new Uint8Array(width * height);
  indices.set(bytes.subarray(pixelsAt, pixelsAt + present * width));
  return {
    data: paint(indices, levels332(), present * width),
    width,
    height,
    channels: 3,
    truncated: present < height,
  };
}

export const still = stillFormat({ readHeader, readPixels });
