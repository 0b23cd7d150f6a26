import { CLEAR } from './frames.ts';

/** A colour table and the index of its transparent entry. */
export interface Palette {
  /** Only the used entries; the table in the file is padded to a power of two. */
  colours: readonly number[];
  /** The index of the transparent entry, -1 when there is none. */
  transparent: number;
}

/** Returns the bits, 1 to 8, of the indices for a table with that many entries. */
export function tableBits(entries: number): number {
  let bits = 1;
  while (1 << bits < entries) bits += 1;
  return bits;
}

/** Serialises red, green and blue of a colour table, padded with black to a power of two. */
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
