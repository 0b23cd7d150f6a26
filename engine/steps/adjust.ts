/**
 * Adjusts colour and detail. The order is fixed: noise is removed before other steps amplify it, light comes before
 * colour, and sharpening is last.
 */
import type { Size } from '../../base/geometry.ts';
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
    blur: described(
      strength(),
      'Gaussian blur, relative to the image size: 100 has a radius of 4 % of the longer side.',
      20,
    ),
    enhance: described(z.boolean().default(false), 'Stretch levels and lift local contrast.', true),
    sharpen: described(strength(), 'Sharpening; 33 is that of sharp.sharpen({ sigma: 1 }).', 30),
    denoise: described(strength(), 'Median filter; 20, 60 and 100 are windows of 3, 5 and 7 pixels.', 30),
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

/** A median filter, and the strength at which it is the whole result. */
interface MedianFilter {
  /** Side of the window in pixels. 1 changes nothing. */
  side: number;
  strength: number;
}

/** Their distances are those of their mean effects on photographs: 1.5, 5.2 and 8.2 of 255 levels. */
const MEDIAN_FILTERS: readonly MedianFilter[] = [
  { side: 1, strength: 0 },
  { side: 3, strength: 20 },
  { side: 5, strength: 60 },
  { side: 7, strength: 100 },
];

/** Between two filters, a mix of both. */
function denoise(image: Image, strength: number): Image {
  const at = MEDIAN_FILTERS.findIndex((filter) => filter.strength >= strength);
  const [weaker, stronger] = [MEDIAN_FILTERS[at - 1]!, MEDIAN_FILTERS[at]!];
  const share = (strength - weaker.strength) / (stronger.strength - weaker.strength);
  return onColour(image, (colour) => {
    const strong = median(colour, stronger.side);
    if (share === 1) return strong;
    return median(colour, weaker.side)
      .linear(1 - share, 0.5)
      .add(strong.linear(share, 0));
  });
}

function median(colour: Image, side: number): Image {
  const { width, height } = colour;
  if (side === 1) return colour;
  if (Math.min(width, height) >= side) return colour.median(side);
  // libvips refuses a window that is larger than the image.
  const margin = (side - 1) / 2;
  return colour
    .embed(margin, margin, width + 2 * margin, height + 2 * margin, { extend: 'copy' })
    .median(side)
    .crop(margin, margin, width, height);
}

// The transfer function of sRGB, IEC 61966-2-1.
const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const fromLinear = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

const STOPS_AT_100 = 2;

/**
 * From flat grey at -1 through unchanged at 0 to a slope of 4 at 1. Steep slopes clip more and more samples, so the slope
 * rises faster than the strength: the mean effect on photographs then grows evenly.
 */
const contrastSlope = (strength: number) => (strength < 0 ? 1 + strength : 1 + strength + 2 * strength ** 3);

/** One sample from 0 to 1 after exposure (in linear light), brightness (an offset) and contrast (around the middle). */
function adjustLightness(value: number, { exposure, brightness, contrast }: AdjustParams): number {
  const exposed = exposure === 0 ? value : fromLinear(toLinear(value) * 2 ** ((STOPS_AT_100 * exposure) / 100));
  const brightened = exposed + brightness / 200;
  return Math.min(1, Math.max(0, (brightened - 0.5) * contrastSlope(contrast / 100) + 0.5));
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
/** The smallest standard deviation in pixels. The next smaller ones change nothing. */
const MIN_BLUR_SIGMA = 0.3;
/** Above this sigma the image is blurred at a reduced size: no visible difference, at a fraction of the time. */
const DIRECT_SIGMA = 4;

/** libvips' approximate blur returns black for sigmas below about 0.57 and has too little effect below 2 (measured). */
const MIN_APPROXIMATE_SIGMA = 2;
/** The smallest element of an exact kernel. By default kernels for sigmas below 0.56 have one element. */
const MIN_KERNEL_ELEMENT = 0.002;

export function gaussian(image: Image, sigma: number): Image {
  if (sigma < MIN_APPROXIMATE_SIGMA)
    return image.gaussblur(sigma, { precision: 'float', min_ampl: MIN_KERNEL_ELEMENT }).cast(image.format);
  if (sigma <= 2 * DIRECT_SIGMA) return image.gaussblur(sigma, { precision: 'approximate' });
  const factor = Math.min(Math.floor(sigma / DIRECT_SIGMA), image.width, image.height);
  const small = image.resize(1 / factor, { kernel: 'linear' });
  return small
    .gaussblur(sigma / factor)
    .resize(image.width / small.width, { vscale: image.height / small.height, kernel: 'cubic' });
}

/** Detail disappears at the first pixels of the radius, so the radius rises faster than the strength. */
function blurSigma({ width, height }: Size, strength: number): number {
  const share = 0.3 * strength + 0.7 * strength ** 3;
  return MIN_BLUR_SIGMA + share * BLUR_AT_100 * Math.max(width, height);
}

function blur(image: Image, strength: number): Image {
  const sigma = blurSigma(image, strength / 100);
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

/**
 * The response of libvips' sharpen to a difference in lightness, at 100. Everything grows with the strength, so the
 * effect does too. At a third, it is the default of sharp: 1 for flat areas (m1), 2 for edges (m2), an edge made at most
 * 10 brighter (y2) or 20 darker (y3).
 */
const SHARPEN_AT_100 = { m1: 3, m2: 6, y2: 30, y3: 60 } as const;

/** Sharpens only lightness: sharpened colour shows as fringes. */
function sharpen(image: Image, strength: number): Image {
  const { format, interpretation } = image;
  const { m1, m2, y2, y3 } = SHARPEN_AT_100;
  const share = strength / 100;
  return image
    .sharpen({ sigma: 1, m1: share * m1, m2: share * m2, y2: share * y2, y3: share * y3 })
    .colourspace(interpretation)
    .cast(format);
}
