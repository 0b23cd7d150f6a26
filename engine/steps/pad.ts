import type { Size } from '../../base/geometry.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { emptyPaint, placeOnCanvas } from './canvas.ts';
import { defineStep, paint, type StepContext, type StepDefinition, unlessSame } from './step.ts';

export const pad = defineStep({
  label: { name: 'Pad', hint: 'Put it on a larger ground.', group: 'Size and shape', place: 6 },
  params: ({ side, newAreaColour }) => ({
    width: side(),
    height: side(),
    background: newAreaColour(),
  }),
  // The image is never cropped.
  effect: ({ width, height }, before) =>
    unlessSame({ width: Math.max(width, before.width), height: Math.max(height, before.height) }, before),
  apply: (image, params, context) =>
    mapFrames(image, (frame) => padTo(frame, context.after, paint(context, params.background))),
  canAddTransparency: (params) => params.background === undefined,
});

/** Pads to the canvas of the resize before: in compress, the adjustments come between the two. */
export const padToCanvas: StepDefinition<{ background: string | undefined }> = {
  effect: (_params, before, { canvas }) => unlessSame(canvas ?? before, before),
  apply: (image, params, context) =>
    mapFrames(image, (frame) => padTo(frame, context.after, paint(context, params.background))),
};

/** Centres an image on a canvas. A canvas that is not larger changes nothing. */
export function padTo(image: Image, { width, height }: Size, context: StepContext): Image {
  if (width <= image.width && height <= image.height) return image;
  const left = Math.floor((width - image.width) / 2);
  const top = Math.floor((height - image.height) / 2);
  return placeOnCanvas(image, { width, height }, left, top, emptyPaint(context));
}
