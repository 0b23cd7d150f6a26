import type { Size } from '../../base/geometry.ts';
import { premultiplied } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import { turnOf } from '../../codecs/orient.ts';
import type { Image } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { emptyPaint, withPaint } from './canvas.ts';
import { defineStep, paint, type StepContext } from './step.ts';

export const rotate = defineStep({
  label: { name: 'Rotate', hint: 'Turn it by any angle.', group: 'Size and shape', place: 4 },
  params: ({ integer, newAreaColour, described }) => ({
    rotate: described(
      integer(-359, 359).default(0),
      'Degrees clockwise. A quarter turn is exact; other angles grow the image, with transparent corners (background colour where the format has no transparency).',
      90,
    ),
    background: newAreaColour(),
  }),
  needsOneOf: ['rotate'],
  effect: (params, before, { context }) => ({
    size: rotatedSize(context, before, params.rotate),
    changes: params.rotate % 360 !== 0,
  }),
  apply: (image, params, context) =>
    mapFrames(image, (frame) => turnImage(frame, params.rotate, paint(context, params.background))),
  onCoefficients(params) {
    const orientation = ORIENTATIONS[(params.rotate + 360) % 360];
    return orientation === undefined ? undefined : { turn: turnOf(orientation) };
  },
  readsRowsInOrder: false,
  isScaleIndependent: (params) => params.rotate % 90 === 0,
  keepsColours: (params) => params.rotate % 90 === 0,
  swapsSides: (params) => params.rotate % 180 !== 0,
  keepsVector: true,
  canAddTransparency: (params) => params.background === undefined && params.rotate % 90 !== 0,
});

/** EXIF orientations that are clockwise quarter turns, by their degrees. */
const ORIENTATIONS: Readonly<Record<number, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };

/** Gets the exact size from libvips, which computes no pixels until they are read. */
function rotatedSize({ vips, modules }: WorkerContext, { width, height }: Size, degrees: number): Size {
  const blank = vips.Image.black(width, height);
  const turned = turnImage(blank, degrees, { vips, modules, transparent: false, background: '#000000' });
  return { width: turned.width, height: turned.height };
}

/**
 * Rotates clockwise. Quarter turns move pixels without changing them; other angles enlarge the image to include its
 * corners.
 */
export function turnImage(image: Image, degrees: number, context: StepContext): Image {
  const angle = ((degrees % 360) + 360) % 360;
  if (angle === 0) return image;
  if (angle === 90) return image.rot90();
  if (angle === 180) return image.rot180();
  if (angle === 270) return image.rot270();
  const { image: source, values } = withPaint(image, emptyPaint(context));
  const interpolate = context.vips.Interpolate.newFromName('bicubic');
  const rotateAll = (each: Image) => each.rotate(angle, { interpolate, background: values });
  return premultiplied(source, rotateAll).cast(source.format);
}
