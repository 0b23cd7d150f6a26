/**
 * Predicts the size of a result from the header of its source alone, with a log-linear model. The bytes per pixel of
 * the source say how much detail the image has; the other inputs are the number of pixels of the result, how they were
 * scaled, and how the result is encoded. There is one model for each kind of source and encoding, fitted on real images
 * by `npm run size-model`, which also measures how often its range holds. Main-thread safe.
 */
import { FORMATS, type FormatId, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import MODEL from './size-model.json' with { type: 'json' };

export interface SourceFacts {
  format: FormatId;
  bytes: number;
  /** Sum over all frames. */
  pixels: number;
  animated: boolean;
  /** Undefined if the file does not say. */
  lossless: boolean | undefined;
  /** 1 to 100 on the scale of libjpeg, if the file gives it. */
  quality: number | undefined;
}

export interface SizeFacts {
  source: SourceFacts;
  /** Pixels of the result that show the source, summed over all frames. */
  pixels: number;
  /** Pixels of the result per pixel of the source. */
  scale: number;
  format: OutputFormat;
  coding: 'lossless' | 'smart' | { quality: number };
}

export interface SizeRange {
  bytes: number;
  /** 80% of the true sizes are between these. */
  min: number;
  max: number;
}

/**
 * For one kind of source and encoding: the factors of {@link features}, and the logarithmic range of 80% of the true
 * sizes.
 */
export interface SizeModel {
  factors: number[];
  below: number;
  above: number;
}

function kindOf({ format, animated, lossless, quality }: SourceFacts): string {
  if (animated) return 'animation';
  const { jpegStream, coding } = FORMATS[format];
  if (jpegStream && quality !== undefined) return 'jpeg';
  if (coding === 'lossless' || (lossless && coding === 'lossy')) return 'lossless';
  // Formats without a coding take about the same number of bytes for every image.
  return coding ?? 'plain';
}

function codingOf({ format, coding }: SizeFacts): string {
  if (typeof coding === 'string') return `${format} ${coding}`;
  return OUTPUTS[format].palette && coding.quality === 100 ? `${format} lossless` : format;
}

/** Names of the models that apply, best first: for this kind of source, and for all kinds. */
export function modelNames(facts: SizeFacts): [string, string] {
  const coding = codingOf(facts);
  return [`${kindOf(facts.source)} > ${coding}`, `any > ${coding}`];
}

/** The factor by which libjpeg multiplies its quantisation tables, in percent (jcparam.c, jpeg_quality_scaling). */
const quantisation = (quality: number): number => (quality < 50 ? 5000 / quality : 200 - 2 * quality);

/** The values that the factors of a model are multiplied by. */
export function features({ source, pixels, scale, coding }: SizeFacts): number[] {
  const quality = typeof coding === 'string' ? 0 : coding.quality;
  return [
    1,
    Math.log(pixels),
    Math.log((8 * source.bytes) / source.pixels),
    Math.log(scale),
    source.quality === undefined ? 0 : Math.log(quantisation(source.quality) + 10),
    quality / 100,
    (quality / 100) ** 2,
    (quality / 100) ** 4,
  ];
}

/** Uncompressed bytes per pixel, used if no model exists. */
const BYTES_PER_PIXEL = 3;
/** Logarithmic range. */
const UNKNOWN_BELOW = 1.5;
const UNKNOWN_ABOVE = 0.5;

export function predictSize(facts: SizeFacts, models: Readonly<Record<string, SizeModel>> = MODEL): SizeRange {
  const model = modelNames(facts)
    .map((name) => models[name])
    .find((known) => known !== undefined);
  const range = (middle: number, below: number, above: number): SizeRange => ({
    bytes: Math.max(1, Math.round(Math.exp(middle))),
    min: Math.max(1, Math.floor(Math.exp(middle - below))),
    max: Math.max(1, Math.ceil(Math.exp(middle + above))),
  });
  if (!model) return range(Math.log(facts.pixels * BYTES_PER_PIXEL), UNKNOWN_BELOW, UNKNOWN_ABOVE);
  const middle = features(facts).reduce((sum, feature, index) => sum + feature * (model.factors[index] ?? 0), 0);
  return range(middle, model.below, model.above);
}
