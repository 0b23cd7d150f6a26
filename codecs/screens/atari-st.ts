/**
 * The screen of the Atari ST and STE (Atari Corp., "Hitchhiker's Guide to the BIOS", 1985, and "STE TOS Release Notes",
 * 1990).
 */
import type { Size } from '../../base/geometry.ts';
import type { Bitmap } from '../bitmap.ts';
import { bitmapOf, levelOf } from './screen.ts';

export const SCREEN_BYTES = 32_000;
export const PALETTE_BYTES = 32;
const WORDS = PALETTE_BYTES / 2;

export interface Resolution extends Size {
  planes: 1 | 2 | 4;
  /** 2 for pixels that are twice as high as wide. */
  high: 1 | 2;
}

/** Indexed by their number: low, medium, high. */
export const RESOLUTIONS: readonly Resolution[] = [
  { width: 320, height: 200, planes: 4, high: 1 },
  { width: 640, height: 200, planes: 2, high: 2 },
  { width: 640, height: 400, planes: 1, high: 1 },
];

export const shownSize = ({ width, height, high }: Resolution): { width: number; height: number } => ({
  width,
  height: height * high,
});

/** Returns the offset of the byte that holds eight pixels of one plane. */
export type PlaneLayout = (y: number, plane: number, column: number) => number;

/** The layout of the hardware: a word of each plane for sixteen pixels. */
export function interleaved({ width, planes }: Resolution): PlaneLayout {
  const rowBytes = (width / 8) * planes;
  return (y, plane, column) => y * rowBytes + ((column >> 1) * planes + plane) * 2 + (column & 1);
}

/** The layout of the packed formats: the rows of all planes one after the other. */
export function rowByRow({ width, planes }: Resolution): PlaneLayout {
  const columns = width / 8;
  return (y, plane, column) => (y * planes + plane) * columns + column;
}

/** Returns the colour number of each pixel. */
export function readPlanes(data: Uint8Array, { width, height, planes }: Resolution, layout: PlaneLayout): Uint8Array {
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let column = 0; column < width / 8; column++) {
      const to = y * width + column * 8;
      for (let plane = 0; plane < planes; plane++) {
        const bits = data[layout(y, plane, column)]!;
        for (let bit = 0; bit < 8; bit++) pixels[to + bit]! |= ((bits >> (7 - bit)) & 1) << plane;
      }
    }
  }
  return pixels;
}

const STE_BITS = 0x888;

/**
 * Reads a palette of three bits per channel, or four when a word has a bit that only the STE uses: its lowest bit,
 * which is stored above the other three. Reading ST images as STE images would make them too dark.
 */
export function readPalette(bytes: Uint8Array, at: number, count: number): Uint8Array {
  const words = Array.from({ length: count }, (_, index) => (bytes[at + index * 2]! << 8) | bytes[at + index * 2 + 1]!);
  const ste = words.some((word) => (word & STE_BITS) !== 0);
  const channel = (nibble: number) => (ste ? levelOf(((nibble & 7) << 1) | (nibble >> 3), 4) : levelOf(nibble & 7, 3));
  return Uint8Array.from(words.flatMap((word) => [8, 4, 0].map((shift) => channel((word >> shift) & 15))));
}

/**
 * Reads the palette of high resolution. Only the lowest bit of the first word counts: colour 0 is white, or black when
 * the bit is not set.
 */
function monochromePalette(bytes: Uint8Array, at: number): Uint8Array {
  const words = bytes.subarray(at, at + PALETTE_BYTES);
  // Programs that leave the palette empty do not mean an inverted image.
  const inverted = (words[1]! & 1) === 0 && words.some((byte) => byte !== 0);
  return Uint8Array.from(inverted ? [0, 0, 0, 255, 255, 255] : [255, 255, 255, 0, 0, 0]);
}

/** @param paletteAt offset of 16 words in `bytes` */
export function atariScreen(
  bytes: Uint8Array,
  paletteAt: number,
  data: Uint8Array,
  resolution: Resolution,
  layout: PlaneLayout,
): Bitmap {
  const { width, height, planes, high } = resolution;
  const palette = planes === 1 ? monochromePalette(bytes, paletteAt) : readPalette(bytes, paletteAt, WORDS);
  return bitmapOf({ width, height, high, palette, pixels: readPlanes(data, resolution, layout) });
}
