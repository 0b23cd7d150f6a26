/** How far an image can be scaled down for the places that show it (docs/spec/shapes.md, section 16.4). */

/** Image pixels per displayed CSS pixel: screens have two and more. */
const PIXELS_PER_CSS_PIXEL = 2;

interface Size {
  width: number | null;
  height: number | null;
}

/**
 * The scale at which an image has twice the displayed pixels in both directions; 1 when it has no more than that, or
 * when its displayed size is unknown.
 */
export function fittingScale({ width, height }: Size, shown: Size): number {
  if (!width || !height || (!shown.width && !shown.height)) return 1;
  return Math.min(1, PIXELS_PER_CSS_PIXEL * displayedShare({ width, height }, shown));
}

/**
 * The displayed share of an image's pixels, in the direction where it is larger. For an image of unknown size, the
 * number of displayed pixels.
 */
export const displayedShare = ({ width, height }: Size, shown: Size): number =>
  Math.max((shown.width ?? 0) / (width || 1), (shown.height ?? 0) / (height || 1));
