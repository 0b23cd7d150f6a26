import { CLEAR } from './frames.ts';

/** A colour table and which of its entries is transparent. */
export interface Palette {
  /** As many as are used; the table in the file is filled up to a power of two. */
  colours: readonly number[];
  /** The index of the transparent entry, -1 when there is none. */
  transparent: number;
}

/** 1 to 8: how many bits the indices of a table of so many entries take. */
export function tableBits(entries: number): number {
  let bits = 1;
  while (1 << bits < entries) bits += 1;
  return bits;
}

/** Red, green and blue of a colour table, filled up with black to a power of two. */
export function tableBytes({ colours }: Palette): Uint8Array {
  const table = new Uint8Array(3 << tableBits(colours.length));
  for (const [index, colour] of colours.entries()) {
    if (colour === CLEAR) continue;
    table[3 * index] = colour & 0xff;
    table[3 * index + 1] = (colour >>> 8) & 0xff;
    table[3 * index + 2] = (colour >>> 16) & 0xff;
  }
  return table;
}
