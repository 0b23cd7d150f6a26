import type { Image } from '../../codecs/vips.ts';
import { CLEAR, emptyPaint, placeOnCanvas } from './canvas.ts';
import type { StepContext } from './step.ts';

/**
 * Adds a border of `width` pixels on every side. A transparent border gets the background colour if the result has no
 * transparency.
 */
export function border(image: Image, width: number, colour: string, context: StepContext): Image {
  const canvas = { width: image.width + 2 * width, height: image.height + 2 * width };
  return placeOnCanvas(image, canvas, width, width, colour === CLEAR ? emptyPaint(context) : colour);
}
