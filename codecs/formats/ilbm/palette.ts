/** Palettes, including the half-bright colours of the Amiga and the chunks that change colours from line to line. */
import type { IffImage } from './chunks.ts';
import type { BitmapHeader } from './header.ts';
import { readChanges } from './palette-changes.ts';

const MAX_COLOURS = 256;
const HALF_BRIGHT_FROM = 32;

/** The colours of the indices, 256 x RGB, and their changes before a line is drawn. */
export interface Palette {
  rgb: Uint8Array;
  /** Applies the changes for a line. Lines must come in order, from 0. */
  advance(line: number): void;
}

export const countColours = ({ chunks }: IffImage): number => Math.floor((chunks.get('CMAP')?.data.length ?? 0) / 3);

/** Reads the palette. Without one, the index is a grey level. */
export function readPalette(image: IffImage, header: BitmapHeader, halfBright: boolean): Palette {
  const rgb = readColours(image, header);
  if (halfBright) addHalfBright(rgb);
  const changes = readChanges(image, header.height);
  return {
    rgb,
    advance(line) {
      if (changes?.(line, rgb) && halfBright) addHalfBright(rgb);
    },
  };
}

function readColours(image: IffImage, { planes, fullPalette }: BitmapHeader): Uint8Array {
  const rgb = new Uint8Array(MAX_COLOURS * 3);
  const map = image.chunks.get('CMAP')?.data.subarray(0, countColours(image) * 3) ?? new Uint8Array();
  if (map.length === 0) {
    const last = 2 ** planes - 1;
    for (let colour = 0; colour <= last; colour++) rgb.fill((colour * 255) / last, colour * 3, colour * 3 + 3);
    return rgb;
  }
  rgb.set(map.subarray(0, rgb.length));
  // The first Amigas had four bits per channel and their programs left the other four 0, so that white is not quite
  // white.
  if (!fullPalette && map.every((level) => (level & 0x0f) === 0)) {
    for (let at = 0; at < rgb.length; at++) rgb[at] = (rgb[at]! >> 4) * 17;
  }
  return rgb;
}

function addHalfBright(rgb: Uint8Array): void {
  const from = HALF_BRIGHT_FROM * 3;
  for (let at = 0; at < from; at++) rgb[from + at] = rgb[at]! >> 1;
}
