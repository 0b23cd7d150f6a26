/**
 * What the strings of parameters say. Apart from their declarations, whose library the workers need not load: it would take
 * 4 MB of the heap of each.
 */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Reads a string that matches `box` of the parameters. */
export function parseBox(text: string): Box {
  const [x = 0, y = 0, width = 1, height = 1] = text.split(',').map(Number);
  return { x, y, width, height };
}

/** Width divided by height of a string that matches `ratio` of the parameters; NaN or infinite when a side is 0. */
export function parseRatio(text: string): number {
  const [width = 0, height = 0] = text.split(':').map(Number);
  return width / height;
}
