import type { Image } from '../../codecs/vips.ts';
import { padTo } from './pad.ts';
import { planResize, resizeImage } from './resize.ts';
import type { StepContext } from './step.ts';

const SIDES = [256, 128, 64, 48, 32, 24] as const;
const MIN_ICON_SIDE = 16;

/** Fits an image into the square of an icon: the largest usual side that does not exceed the image's longer side. */
export function drawIcon(image: Image, context: StepContext): Image {
  const longer = Math.max(image.width, image.height);
  const side = SIDES.find((candidate) => candidate <= longer) ?? MIN_ICON_SIDE;
  const plan = planResize(image, { width: side, height: side, fit: 'contain', enlarge: false });
  return padTo(resizeImage(image, image, plan), plan.canvas, { ...context, transparent: true });
}
