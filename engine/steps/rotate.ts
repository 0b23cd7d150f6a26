import { premultiplied } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';
import { emptyPaint, withPaint } from './canvas.ts';
import type { StepContext } from './step.ts';

/**
 * Rotates clockwise. Quarter turns move pixels without changing them; other angles enlarge the image to include its
 * corners.
 */
export function rotate(image: Image, degrees: number, context: StepContext): Image {
  const angle = ((degrees % 360) + 360) % 360;
  if (angle === 0) return image;
  if (angle === 90) return image.rot90();
  if (angle === 180) return image.rot180();
  if (angle === 270) return image.rot270();
  const { image: source, values } = withPaint(image, emptyPaint(context));
  const interpolate = context.vips.Interpolate.newFromName('bicubic');
  const turn = (picture: Image) => picture.rotate(angle, { interpolate, background: values });
  return premultiplied(source, turn).cast(source.format);
}
