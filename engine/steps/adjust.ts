/**
 * Adjusts colour and detail. The order is fixed: noise is removed before other steps amplify it, light comes before
 * colour, and sharpening is last.
 */
import { isDeep, isGrey, onColour, premultiplied, sampleMax } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { type Declare, defineStep, type ParamsOf, paint, type StepContext, sameSize } from './step.ts';

function declareAdjustments({ z, integer, described }: Declare) {
  const adjustment = () => integer(-100, 100).default(0);
  const strength = () => integer(0, 100).default(0);
  return {
    brightness: described(adjustment(), 'Brightness; 0 changes nothing.', 10),
    contrast: described(adjustment(), 'Contrast; 0 changes nothing.', 10),
    saturation: described(adjustment(), 'Saturation; -100 is grey.', -30),
    exposure: described(adjustment(), 'Exposure; two stops at either end.', 25),
    grayscale: described(z.boolean().default(false), 'Remove colour.', true),
    blur: described(strength(), 'Gaussian blur, relative to the image size.', 20),
    enhance: described(z.boolean().default(false), 'Stretch levels and lift local contrast.', true),
    sharpen: described(strength(), 'Sharpening.', 30),
    denoise: described(strength(), 'Median filter.', 30),
  };
}

type AdjustParams = ParamsOf<typeof declareAdjustments>;

/** Whether anything is adjusted: each adjustment has no effect at 0 or false. */
const adjusts = (params: AdjustParams): boolean => ADJUSTMENTS.some((name) => Boolean(params[name]));

/** The type checker refuses it if a parameter is missing. */
const ADJUSTMENTS = Object.keys({
  brightness: true,
  contrast: true,
  saturation: true,
  exposure: true,
  grayscale: true,
  blur: true,
  enhance: true,
  sharpen: true,
  denoise: true,
} satisfies Record<keyof AdjustParams, true>) as (keyof AdjustParams)[];

export const adjust = defineStep({
  label: { name: 'Adjust', hint: 'Brightness, contrast, colours, sharpness.', group: 'Look', place: 1 },
  params: declareAdjustments,
  needsOneOf: ADJUSTMENTS,
  effect: (params, before) => sameSize(before, adjusts(params)),
  apply: (image, params, context) => mapFrames(image, (frame) => adjustImage(frame, params, paint(context))),
  readsTwice: ({ enhance }) => enhance,
  keepsAlpha: true,
});

function adjustImage(image: Image, params: AdjustParams, context: StepContext): Image {
  let result = image;
  if (params.denoise > 0) result = denoise(result, params.denoise);
  if (params.exposure !== 0 || params.brightness !== 0 || params.contrast !== 0)
    result = light(result, params, context);
  if (params.saturation !== 0) result = saturate(result, params.saturation);
  if (params.enhance) result = enhance(result);
  if (params.grayscale) result = grayscale(result);
  if (params.blur > 0) result = blur(result, params.blur);
  if (params.sharpen > 0) result = sharpen(result, params.sharpen);
  return result;
}

/** Median window side for a strength of 1 to 100: 3, 5 or 7 pixels. */
const medianSide = (strength: number) => 3 + 2 * Math.min(2, Math.floor(strength / 34));

function denoise(image: Image, strength: number): Image {
  const side = medianSide(strength);
  const { width, height } = image;
  if (Math.min(width, height) >= side) return onColour(image, (colour) => colour.median(side));
  // libvips refuses a window that is larger than the image.
  const margin = (side - 1) / 2;
  return onColour(image, (colour) =>
    colour
      .embed(margin, margin, width + 2 * margin, height + 2 * margin, { extend: 'copy' })
      .median(side)
      .crop(margin, margin, width, height),
  );
}

// The transfer function of sRGB, IEC 61966-2-1.
const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const fromLinear = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

const STOPS_AT_100 = 2;

/** One sample from 0 to 1 after exposure (in linear light), brightness (an offset) and contrast (around the middle). */
function adjustLightness(value: number, { exposure, brightness, contrast }: AdjustParams): number {
  const exposed = exposure === 0 ? value : fromLinear(toLinear(value) * 2 ** ((STOPS_AT_100 * exposure) / 100));
  const brightened = exposed + brightness / 200;
  // From flat grey at -100 through unchanged at 0 to a slope of 4 at 100.
  const slope = contrast < 0 ? 1 + contrast / 100 : 1 + (3 * contrast) / 100;
  return Math.min(1, Math.max(0, (brightened - 0.5) * slope + 0.5));
}

function light(image: Image, params: AdjustParams, { vips }: StepContext): Image {
  const max = sampleMax(image);
  const table = max === 255 ? new Uint8Array(256) : new Uint16Array(65_536);
  for (let value = 0; value <= max; value += 1) table[value] = Math.round(adjustLightness(value / max, params) * max);
  const lut = vips.Image.newFromMemory(
    table,
    table.length,
    1,
    1,
    max === 255 ? vips.BandFormat.uchar : vips.BandFormat.ushort,
  );
  return onColour(image, (colour) => colour.maplut(lut));
}

// Luminance weights of ITU-R BT.709.
const LUMINANCE = [0.2126, 0.7152, 0.0722] as const;

function saturate(image: Image, amount: number): Image {
  if (isGrey(image)) return image;
  const keep = 1 + amount / 100;
  const matrix = [0, 1, 2].map((row) =>
    LUMINANCE.map((weight, column) => (1 - keep) * weight + (row === column ? keep : 0)),
  );
  return onColour(image, (colour) => colour.recomb(matrix as never));
}

const grayscale = (image: Image): Image =>
  isGrey(image) ? image : image.colourspace(isDeep(image) ? 'grey16' : 'b-w');

/** Standard deviation of a blur of 100, as a share of the longer side. */
const BLUR_AT_100 = 0.04;
/** Above this sigma the image is blurred at a reduced size: no visible difference, at a fraction of the time. */
const DIRECT_SIGMA = 4;

/** Below this sigma nothing is visible, and the kernel has one element. */
const MIN_SIGMA = 0.3;
/** libvips' approximate blur returns black for sigmas below about 0.57 (measured); the exact one is as fast there. */
const MIN_APPROXIMATE_SIGMA = 1;

export function gaussian(image: Image, sigma: number): Image {
  if (sigma < MIN_SIGMA) return image;
  if (sigma <= 2 * DIRECT_SIGMA) {
    return image.gaussblur(sigma, { precision: sigma < MIN_APPROXIMATE_SIGMA ? 'float' : 'approximate' });
  }
  const factor = Math.min(Math.floor(sigma / DIRECT_SIGMA), image.width, image.height);
  const small = image.resize(1 / factor, { kernel: 'linear' });
  return small
    .gaussblur(sigma / factor)
    .resize(image.width / small.width, { vscale: image.height / small.height, kernel: 'cubic' });
}

function blur(image: Image, strength: number): Image {
  const sigma = (strength / 100) * BLUR_AT_100 * Math.max(image.width, image.height);
  return premultiplied(image, (source) => gaussian(source, sigma)).cast(image.format);
}

/** Percentage of pixels that may be clipped at either end when levels are stretched. */
const CLIPPED_PERCENT = 0.5;
/** Radius and strength of the local contrast. */
const LOCAL_RADIUS = 0.02;
const LOCAL_AMOUNT = 0.25;

/**
 * Stretches the levels to the full range, equally for every channel so that no hue shifts, and increases local
 * contrast.
 */
function enhance(image: Image): Image {
  const max = sampleMax(image);
  return onColour(image, (colour) => {
    const luminance = isGrey(image) ? colour : colour.colourspace(isDeep(image) ? 'grey16' : 'b-w');
    const low = luminance.percent(CLIPPED_PERCENT);
    const high = luminance.percent(100 - CLIPPED_PERCENT);
    const gain = high > low ? max / (high - low) : 1;
    const stretched = high > low ? colour.linear(gain, -low * gain) : colour;
    const sigma = LOCAL_RADIUS * Math.max(image.width, image.height);
    const detail = stretched.subtract(gaussian(stretched.cast(image.format), sigma));
    return stretched.add(detail.linear(LOCAL_AMOUNT, 0));
  });
}

/** Sharpens only lightness: sharpened colour shows as fringes. */
function sharpen(image: Image, strength: number): Image {
  const { format, interpretation } = image;
  return image
    .sharpen({ sigma: 1, m1: 0, m2: (strength / 100) * 6, x1: 1 })
    .colourspace(interpretation)
    .cast(format);
}
