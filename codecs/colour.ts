/**
 * Converts the samples of a file to the working space of the steps: sRGB or grey in 8 or 16 bits, or the file's own RGB
 * profile when the result keeps it.
 */
import type { Image, VipsApi } from './vips.ts';

export interface WorkingSpace {
  image: Image;
  /** The profile that the samples are still in; undefined after conversion to sRGB. */
  icc: Uint8Array | undefined;
  /** Whether another colour space, for example a wider one, was converted to sRGB. */
  converted: boolean;
}

export interface ColourRequest {
  /** The result will carry the profile, so the samples may stay in it. */
  keepProfile: boolean;
  /** Keep more than 8 bits per sample. */
  keepDepth: boolean;
}

const DEEP = new Set(['ushort', 'short', 'uint', 'int', 'float', 'double']);
const GREY = new Set(['b-w', 'grey16']);

export const hasAlpha = (image: Image): boolean => image.hasAlpha();
export const isDeep = (image: Image): boolean => DEEP.has(String(image.format));
export const isGrey = (image: Image): boolean => GREY.has(String(image.interpretation));

/** The largest sample value, which means white, or opaque in the alpha channel. */
export const sampleMax = (image: Image): number => (String(image.format) === 'uchar' ? 255 : 65_535);

/** The libvips metadata field that holds a file's colour profile. */
export const ICC_FIELD = 'icc-profile-data';

const profileOf = (image: Image): Uint8Array | undefined =>
  image.getTypeof(ICC_FIELD) === 0 ? undefined : Uint8Array.from(image.getBlob(ICC_FIELD));

/** Levels per channel of the test colours that show whether a profile is sRGB. */
const TEST_LEVELS = [0, 36, 73, 109, 146, 182, 219, 255];
/** Largest difference that rounding alone can cause. */
const ROUNDING = 2;

/**
 * Whether a profile is sRGB. Tests what it does to colours, because profile names lie ("Display P3 Gamut with sRGB
 * Transfer"). Most photographs carry an sRGB profile, and their samples need no conversion.
 */
function isSrgb(vips: VipsApi, icc: Uint8Array): boolean {
  const colours = Uint8Array.from(
    TEST_LEVELS.flatMap((red) => TEST_LEVELS.flatMap((green) => TEST_LEVELS.flatMap((blue) => [red, green, blue]))),
  );
  const probe = vips.Image.newFromMemory(colours, colours.length / 3, 1, 3, vips.BandFormat.uchar).copy({
    interpretation: 'srgb',
  });
  probe.setBlob(ICC_FIELD, icc);
  const seen = probe.iccTransform('srgb', { embedded: true, intent: 'perceptual' }).writeToMemory();
  return colours.every((value, index) => Math.abs(value - (seen[index] as number)) <= ROUNDING);
}

/** Returns the colour space signature of an ICC profile: bytes 16 to 19 of its header (ICC.1:2022, 7.2). */
const spaceOf = (icc: Uint8Array): string => Buffer.from(icc.subarray(16, 20)).toString('latin1');

/**
 * Converts a decoded image to the working space.
 *
 * Profiles are applied with the perceptual intent, which CMYK profiles are made for and which sharp uses too.
 */
export function toWorkingSpace(vips: VipsApi, image: Image, { keepProfile, keepDepth }: ColourRequest): WorkingSpace {
  const icc = profileOf(image);
  const grey = isGrey(image);
  const deep = keepDepth && isDeep(image);
  const flat = (source: Image) => {
    const space = grey ? (deep ? 'grey16' : 'b-w') : deep ? 'rgb16' : 'srgb';
    const isThere = String(source.interpretation) === space && !isDeep(source) && (grey || source.bands >= 3);
    return isThere ? source : source.colourspace(space);
  };
  const interpretation = String(image.interpretation);

  if (interpretation === 'cmyk') {
    // Without a profile of its own, libvips converts the file with its built-in CMYK profile.
    return {
      image: image.iccTransform('srgb', { embedded: true, intent: 'perceptual', depth: deep ? 16 : 8 }),
      icc: undefined,
      converted: true,
    };
  }
  const fits = icc !== undefined && spaceOf(icc) === (grey ? 'GRAY' : 'RGB ');
  if (!fits)
    return { image: flat(image), icc: undefined, converted: interpretation === 'scrgb' || interpretation === 'lab' };
  if (keepProfile) return { image: flat(image), icc, converted: false };
  if (!grey && isSrgb(vips, icc)) return { image: flat(image), icc: undefined, converted: false };
  const srgb = image.iccTransform('srgb', { embedded: true, intent: 'perceptual', depth: deep ? 16 : 8 });
  return { image: grey ? flat(srgb) : srgb, icc: undefined, converted: true };
}

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
