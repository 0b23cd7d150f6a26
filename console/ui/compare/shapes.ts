import { countText } from '../format.ts';
import type { Size } from '../image.ts';

interface Labelled extends Size {
  label: string;
}

/** Tolerance in pixels of the smaller image, because sides are rounded to whole pixels. */
const ROUNDING_TOLERANCE_PX = 1.5;

export function isSameShape(one: Size, other: Size): boolean {
  const [small, large] = one.width < other.width ? [one, other] : [other, one];
  const across = Math.abs(small.width - (small.height * large.width) / large.height);
  const down = Math.abs(small.height - (small.width * large.height) / large.width);
  return Math.min(across, down) <= ROUNDING_TOLERANCE_PX;
}

/** Returns the position of an image fitted into a frame, in fractions of the frame. */
export function placeIn(frame: Size, image: Size): { left: number; top: number; width: number; height: number } {
  if (isSameShape(frame, image)) return { left: 0, top: 0, width: 1, height: 1 };
  const scale = Math.min(frame.width / image.width, frame.height / image.height);
  const width = (image.width * scale) / frame.width;
  const height = (image.height * scale) / frame.height;
  return { left: (1 - width) / 2, top: (1 - height) / 2, width, height };
}

/** Describes two images of different sizes. Undefined if the sizes are equal. */
export function sizesText(before: Labelled, after: Labelled): string | undefined {
  if (before.width === after.width && before.height === after.height) return undefined;
  const sizes = [before, after].map(
    ({ label, width, height }) => `${label}: ${countText(width)} × ${countText(height)} pixels`,
  );
  const shown = isSameShape(before, after)
    ? 'Both are shown at the same size.'
    : 'Their shapes differ: each is shown whole, in the same frame.';
  return `${sizes.join(', ')}. ${shown} The zoom counts the pixels of the first.`;
}
