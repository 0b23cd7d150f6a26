/** The size of what is drawn, not decoded: pages and drawings (`scalable` readers). */

export interface Size {
  width: number;
  height: number;
}

/** Whole pixels of a drawing at `scale`: the nearest number, but at least one. */
export function drawnSize({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
