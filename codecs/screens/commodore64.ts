/** Decodes the bitmap modes of the Commodore 64 (Commodore, "Programmer's Reference Guide", 1982, chapter 3). */
import type { Bitmap } from '../bitmap.ts';
import { paletteOf } from '../legacy/rows.ts';
import { bitmapOf } from './screen.ts';

export const BITMAP_BYTES = 8000;
export const CELLS = 1000;
const CELL_COLUMNS = 40;
export const WIDTH = 320;
export const HEIGHT = 200;

/**
 * The sixteen colours of the VIC-II computed from its signal, at the default settings (Philip Timmermann, "Colodore",
 * 2017).
 */
const PALETTE = paletteOf([
  0x000000, 0xffffff, 0x813338, 0x75cec8, 0x8e3c97, 0x56ac4d, 0x2e2c9b, 0xedf171, 0x8e5029, 0x553800, 0xc46c71,
  0x4a4a4a, 0x7b7b7b, 0xa9ff9f, 0x706deb, 0xb2b2b2,
]);

/** Whether a file starts with the given load address. */
export const loadsAt = (bytes: Uint8Array, address: number): boolean =>
  bytes[0] === (address & 0xff) && bytes[1] === address >> 8;

/** Decodes hires mode: two colours in each cell of 8 x 8 pixels, both in one byte of `screen`. */
export function hires(bitmap: Uint8Array, screen: Uint8Array): Bitmap {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  for (let read = 0; read < BITMAP_BYTES; read++) {
    const cell = read >> 3;
    const colours = screen[cell]!;
    const to = cellStart(cell, WIDTH / CELL_COLUMNS, WIDTH) + (read & 7) * WIDTH;
    for (let bit = 0; bit < 8; bit++) {
      pixels[to + bit] = (bitmap[read]! >> (7 - bit)) & 1 ? colours >> 4 : colours & 15;
    }
  }
  return bitmapOf({ width: WIDTH, height: HEIGHT, pixels, palette: PALETTE });
}

/**
 * Decodes multicolour mode: four colours in each cell of 4 x 8 wide pixels: the background, two in `screen` and one in
 * `colours`.
 */
export function multicolour(bitmap: Uint8Array, screen: Uint8Array, colours: Uint8Array, background: number): Bitmap {
  const width = WIDTH / 2;
  const pixels = new Uint8Array(width * HEIGHT);
  for (let read = 0; read < BITMAP_BYTES; read++) {
    const cell = read >> 3;
    const choice = [background & 15, screen[cell]! >> 4, screen[cell]! & 15, colours[cell]! & 15];
    const to = cellStart(cell, width / CELL_COLUMNS, width) + (read & 7) * width;
    for (let pair = 0; pair < 4; pair++) pixels[to + pair] = choice[(bitmap[read]! >> (6 - pair * 2)) & 3]!;
  }
  return bitmapOf({ width, height: HEIGHT, pixels, palette: PALETTE, wide: 2 });
}

const cellStart = (cell: number, cellWidth: number, width: number): number =>
  Math.floor(cell / CELL_COLUMNS) * 8 * width + (cell % CELL_COLUMNS) * cellWidth;

const ESCAPE = 0xfe;

/**
 * Expands the runs of packed images of Koala Painter and Doodle: an escape, a value and the number of repetitions
 * (Codebase 64, "C64 Graphics File Format Specs").
 * @returns undefined when there are fewer than `length` bytes
 */
export function expandRuns(bytes: Uint8Array, at: number, length: number): Uint8Array | undefined {
  const expanded = new Uint8Array(length);
  let write = 0;
  for (let read = at; read < bytes.length && write < length; ) {
    const value = bytes[read++]!;
    if (value !== ESCAPE) {
      expanded[write++] = value;
      continue;
    }
    if (read + 2 > bytes.length) return undefined;
    const end = Math.min(length, write + bytes[read + 1]!);
    expanded.fill(bytes[read]!, write, end);
    write = end;
    read += 2;
  }
  return write === length ? expanded : undefined;
}
