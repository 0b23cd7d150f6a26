/** How much smaller than it is a picture needs to be where it is shown (spec/shapes.md, section 16.4). */

/** Pixels for each that is shown: screens have two and more. */
const PIXELS_PER_SHOWN = 2;

interface Size {
  width: number | null;
  height: number | null;
}

/**
 * The scale at which a picture has twice the pixels that it is shown with, in both directions; 1 where it has no more, or
 * where it is not known how large it is shown.
 */
export function fittingScale({ width, height }: Size, shown: Size): number {
  if (!width || !height || (!shown.width && !shown.height)) return 1;
  const scale = PIXELS_PER_SHOWN * Math.max((shown.width ?? 0) / width, (shown.height ?? 0) / height);
  return Math.min(1, scale);
}
