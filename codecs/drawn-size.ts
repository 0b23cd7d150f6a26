/** The size of pages and drawings, which are drawn instead of decoded (`scalable` readers). */

export interface Size {
  width: number;
  height: number;
}

/** Returns the size of a drawing at `scale`, rounded to whole pixels, at least 1. */
export function drawnSize({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
