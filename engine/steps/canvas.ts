/** Paint for the new area around an image, shared by several steps: transparent or a colour. */
import type { Size } from '../../base/geometry.ts';
import { hasAlpha, isGrey, sampleMax, samplesOf, toRgb, withAlpha } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';
import type { StepContext } from './step.ts';

/** Transparent new area. */
export const CLEAR = 'transparent';
export type Paint = typeof CLEAR | (string & {});

/** Transparent if the result can be, otherwise the background colour. */
export const emptyPaint = ({ transparent, background }: StepContext): Paint => (transparent ? CLEAR : background);

function isNeutral(colour: string): boolean {
  const [, red, green, blue] = /^#?(..)(..)(..)$/.exec(colour.toLowerCase()) ?? [];
  return red === green && green === blue;
}

/** The image with the bands that the paint needs, and the paint as one value per band. */
export function withPaint(image: Image, paint: Paint): { image: Image; values: number[] } {
  if (paint === CLEAR) {
    const clear = withAlpha(image);
    return { image: clear, values: Array.from({ length: clear.bands }, () => 0) };
  }
  const painted = isGrey(image) && isNeutral(paint) ? image : toRgb(image);
  const colour: number[] = samplesOf(paint, painted);
  const values = isGrey(painted) ? colour.slice(0, 1) : colour;
  return { image: painted, values: hasAlpha(painted) ? [...values, sampleMax(painted)] : values };
}

/** Puts the image on a canvas of the given size, with its top left corner at (left, top). */
export function placeOnCanvas(source: Image, { width, height }: Size, left: number, top: number, paint: Paint): Image {
  const { image, values } = withPaint(source, paint);
  return image.embed(left, top, width, height, { extend: 'background', background: values });
}

/** Paints the background behind transparent pixels and drops the alpha channel. */
export function flatten(source: Image, { background }: Pick<StepContext, 'background'>): Image {
  const { image, values } = withPaint(source, background);
  return hasAlpha(image) ? image.flatten({ background: values.slice(0, -1), max_alpha: sampleMax(image) }) : image;
}
