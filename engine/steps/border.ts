import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { CLEAR, emptyPaint, placeOnCanvas } from './canvas.ts';
import { defineStep, paint, type StepContext } from './step.ts';

export const border = defineStep({
  label: { name: 'Border', hint: 'A line around it.', group: 'Look', place: 2 },
  params: ({ integer, colourOrTransparent, described }) => ({
    border: described(integer(0, 2000).default(0), 'Border width in pixels on every side.', 10),
    border_color: described(
      colourOrTransparent().default('#ffffff'),
      'Border colour, #rrggbb or transparent.',
      '#112233',
    ),
  }),
  needsOneOf: ['border'],
  effect: (params, { width, height }) => ({
    size: { width: width + 2 * params.border, height: height + 2 * params.border },
    changes: params.border > 0,
  }),
  apply: (image, params, context) =>
    mapFrames(image, (frame) => addBorder(frame, params.border, params.border_color, paint(context))),
  canAddTransparency: ({ border_color }) => border_color === CLEAR,
});

/**
 * Adds a border of `width` pixels on every side. A transparent border gets the background colour if the result has no
 * transparency.
 */
function addBorder(image: Image, width: number, colour: string, context: StepContext): Image {
  const canvas = { width: image.width + 2 * width, height: image.height + 2 * width };
  return placeOnCanvas(image, canvas, width, width, colour === CLEAR ? emptyPaint(context) : colour);
}
