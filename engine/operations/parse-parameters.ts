/**
 * Parses the strings of parameters. Separate from their declarations, so that workers need not load the library for
 * those, which takes 4 MB of heap in each.
 */
import type { Box, Point } from '../../base/geometry.ts';

/** Parses a string that matches `box` of the parameters. */
export function parseBox(text: string): Box {
  const [x = 0, y = 0, width = 1, height = 1] = text.split(',').map(Number);
  return { x, y, width, height };
}

/** Width divided by height of a string that matches `ratio` of the parameters; NaN or infinite if a side is 0. */
export function parseRatio(text: string): number {
  const [width = 0, height = 0] = text.split(':').map(Number);
  return width / height;
}

/** The faces of an image, or a place in it, as fractions of its width and height. */
export type Focus = 'faces' | Point;

/** Parses a string that matches `focus` of the parameters. */
export function parseFocus(text: string): Focus {
  if (text === 'faces') return text;
  const [x = 0, y = 0] = text.split(',').map(Number);
  return { x, y };
}
