/** Reads the super high resolution screen of the Apple IIGS (Apple, "IIGS Hardware Reference", 1989, chapter 4). */
import type { Bitmap } from '../../bitmap.ts';

export const SUPER_HIRES_BYTES = 0x8000;
const HEIGHT = 200;
const ROW_BYTES = 160;
const CONTROLS_AT = 0x7d00;
const PALETTES_AT = 0x7e00;
const PALETTE_BYTES = 32;
/** Bits of the control byte of a line. */
const FINE = 0x80;
const FILL = 0x20;

/**
 * Returns the size. Each line has 320 or 640 pixels. A single line of 640 makes the image 640 x 400, in which lines of
 * 320 are doubled.
 */
export function superHiresSize(bytes: Uint8Array): { width: number; height: number } {
  const fine = bytes.subarray(CONTROLS_AT, CONTROLS_AT + HEIGHT).some((control) => (control & FINE) !== 0);
  return fine ? { width: 640, height: HEIGHT * 2 } : { width: 320, height: HEIGHT };
}

/**
 * In lines of 640 pixels, four columns in turn use the third, the fourth, the first and the second group of four
 * colours.
 */
const FINE_GROUPS = [8, 12, 0, 4];

export function readSuperHires(bytes: Uint8Array): Bitmap {
  const { width, height } = superHiresSize(bytes);
  const data = new Uint8Array(width * height * 3);
  const line = new Uint8Array(width);
  const lines = height / HEIGHT;
  for (let y = 0; y < HEIGHT; y++) {
    const control = bytes[CONTROLS_AT + y]!;
    const row = bytes.subarray(y * ROW_BYTES, (y + 1) * ROW_BYTES);
    if (control & FINE) readFineLine(row, line);
    else readLine(row, (control & FILL) !== 0, line, width / 320);
    const palette = PALETTES_AT + (control & 15) * PALETTE_BYTES;
    for (let x = 0, write = y * lines * width * 3; x < width; x++, write += 3) {
      const at = palette + line[x]! * 2;
      data[write] = (bytes[at + 1]! & 15) * 0x11;
      data[write + 1] = (bytes[at]! >> 4) * 0x11;
      data[write + 2] = (bytes[at]! & 15) * 0x11;
    }
    const start = y * lines * width * 3;
    if (lines === 2) data.copyWithin(start + width * 3, start, start + width * 3);
  }
  return { data, width, height, channels: 3 };
}

function readFineLine(row: Uint8Array, line: Uint8Array): void {
  for (let x = 0; x < line.length; x++) {
    line[x] = FINE_GROUPS[x & 3]! + ((row[x >> 2]! >> (6 - (x & 3) * 2)) & 3);
  }
}

/** Reads a line of 320 pixels. In fill mode, colour 0 repeats the previous one. */
function readLine(row: Uint8Array, fill: boolean, line: Uint8Array, wide: number): void {
  let before = 0;
  for (let x = 0; x < 320; x++) {
    const stored = (row[x >> 1]! >> (x & 1 ? 0 : 4)) & 15;
    const colour = fill && stored === 0 ? before : stored;
    before = colour;
    line.fill(colour, x * wide, (x + 1) * wide);
  }
}
