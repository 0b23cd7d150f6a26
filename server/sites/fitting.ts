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
  return Math.min(1, PIXELS_PER_SHOWN * shownShare({ width, height }, shown));
}

/** How much of the pixels of a picture is shown, in the direction where it is more; of no known size, how many pixels. */
export function shownShare({ width, height }: Size, shown: Size): number {
  return Math.max((shown.width ?? 0) / (width || 1), (shown.height ?? 0) / (height || 1));
}
