/** Drawings for the tests of JB2. */
import type { Glyph } from './jb2-writer.ts';

export const A: Glyph = ['..##..', '.#..#.', '#....#', '######', '#....#', '#....#'];
export const B: Glyph = ['#####.', '#....#', '#####.', '#....#', '#....#', '#####.'];
/** Another A, wider and with an empty row at its foot. */
export const WIDE_A: Glyph = ['...##...', '..#..#..', '.#....#.', '.######.', '.#....#.', '##....##', '........'];
/** A box with white edges all around. */
export const EDGED: Glyph = ['........', '..####..', '..#..#..', '..####..', '........', '........'];
export const BOX: Glyph = ['####', '#..#', '####'];
export const TICK: Glyph = ['#.#', '.#.'];

/** A glyph at a place of the page: of its top left corner, from the top left corner of the page. */
export type Stamp = readonly [glyph: Glyph, left: number, top: number];

/** Rows of the page, as a drawing. */
export function draw(width: number, height: number, ...stamps: readonly Stamp[]): string[] {
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
