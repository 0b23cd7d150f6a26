/** What the samples of an image are, and conversions between kinds of samples. */
import type { Image } from './vips.ts';

const DEEP = new Set(['ushort', 'short', 'uint', 'int', 'float', 'double']);
const GREY = new Set(['b-w', 'grey16']);

export const hasAlpha = (image: Image): boolean => image.hasAlpha();
export const isDeep = (image: Image): boolean => DEEP.has(String(image.format));
export const isGrey = (image: Image): boolean => GREY.has(String(image.interpretation));

/** The largest sample value, which means white, or opaque in the alpha channel. */
export const sampleMax = (image: Image): number => (String(image.format) === 'uchar' ? 255 : 65_535);

/** The libvips metadata field that holds a file's colour profile. */
export const ICC_FIELD = 'icc-profile-data';

/** Converts grey to RGB, for steps that paint in colour. */
export function toRgb(image: Image): Image {
  if (!isGrey(image)) return image;
  return image.colourspace(isDeep(image) ? 'rgb16' : 'srgb');
}

/** Reduces samples to 8 bits. */
export const toBytes = (image: Image): Image =>
  isDeep(image) ? image.colourspace(isGrey(image) ? 'b-w' : 'srgb') : image;

/** Converts a colour `#rrggbb` to sample values of the image's depth. */
export function samplesOf(colour: string, image: Image): [number, number, number] {
  const value = Number.parseInt(colour.replace('#', ''), 16);
  const scale = sampleMax(image) / 255;
  return [((value >> 16) & 255) * scale, ((value >> 8) & 255) * scale, (value & 255) * scale];
}

/** Adds an opaque alpha channel if there is none. */
export const withAlpha = (image: Image): Image => (hasAlpha(image) ? image : image.addalpha());

/**
 * Runs an operation that mixes neighbouring pixels on premultiplied samples, so that transparent pixels add no fringe.
 */
export function premultiplied(image: Image, operation: (image: Image) => Image): Image {
  if (!hasAlpha(image)) return operation(image);
  const { format } = image;
  const max_alpha = sampleMax(image);
  return operation(image.premultiply({ max_alpha })).unpremultiply({ max_alpha }).cast(format);
}

/** Applies an operation to the colour channels and leaves transparency unchanged. */
export function onColour(image: Image, operation: (colour: Image) => Image): Image {
  if (!hasAlpha(image)) return operation(image).cast(image.format).copy({ interpretation: image.interpretation });
  const bands = image.bands - 1;
  const colour = operation(image.extractBand(0, { n: bands })).cast(image.format);
  return colour.bandjoin(image.extractBand(bands)).copy({ interpretation: image.interpretation });
}
