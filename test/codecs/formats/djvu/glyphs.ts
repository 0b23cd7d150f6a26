/** Glyphs for the JB2 tests. */
import type { Glyph } from './jb2-writer.ts';

export const A: Glyph = ['..##..', '.#..#.', '#....#', '######', '#....#', '#....#'];
export const B: Glyph = ['#####.', '#....#', '#####.', '#....#', '#....#', '#####.'];
/** A wider A, with an empty row at the bottom. */
export const WIDE_A: Glyph = ['...##...', '..#..#..', '.#....#.', '.######.', '.#....#.', '##....##', '........'];
/** A box with white edges on all sides. */
export const EDGED: Glyph = ['........', '..####..', '..#..#..', '..####..', '........', '........'];
export const BOX: Glyph = ['####', '#..#', '####'];
export const TICK: Glyph = ['#.#', '.#.'];

/** A glyph and its position: that of its top left corner, measured from the top left corner of the page. */
export type PlacedGlyph = readonly [glyph: Glyph, left: number, top: number];

/** Draws the glyphs on a page and returns its rows. */
export function draw(width: number, height: number, ...stamps: readonly PlacedGlyph[]): string[] {
  const rows = Array.from({ length: height }, () => new Array<string>(width).fill('.'));
  for (const [glyph, left, top] of stamps) {
    for (const [y, line] of glyph.entries()) {
      for (const [x, pixel] of [...line].entries()) {
        const row = rows[top + y];
        if (pixel === '#' && row?.[left + x] !== undefined) row[left + x] = '#';
      }
    }
  }
  return rows.map((row) => row.join(''));
}
