/** `mode=smart`: the smallest file that still looks like the original. */

import { withFrame } from '../../../codecs/decoded-image.ts';
import { FORMATS, OUTPUTS } from '../../../codecs/formats/registry.ts';
import type { Image } from '../../../codecs/vips.ts';
import { bandsOf } from '../../quality/bands.ts';
import type { Candidate } from '../../quality/candidate.ts';
import { type CurvePoint, distanceAt, qualityAt } from '../../quality/curve.ts';
import { searchSmart } from '../../quality/search.ts';
import type { Trial } from '../../result.ts';
import { type EncodeJob, Encoder } from './encoder.ts';
import { recodeFile } from './recoded.ts';

/**
 * The largest distance (engine/quality/distance.ts) that still looks like the original. At this distance, the 3-norm of
 * Butteraugli is at most 1.5 for 95% of sixty images as JPEG, WebP and AVIF (npm run bench:smart).
 */
const MAX_DISTANCE = 1.1;
/** The limit of docs/spec/shapes.md. */
const MAX_ENCODINGS = 8;
/** Leaves two encodings: for the whole image and for a lossless one. */
const SEARCH = { min: 25, max: 95, encodings: 6 } as const;
/**
 * A source is kept if its distance to its own original is at least this share of the allowed distance. Losses add up as
 * squares, so an encoding that may lose less than the source did would be larger.
 */
const KEPT_SHARE = Math.SQRT1_2;
/** A result that saves less is not worth its loss. */
const MIN_SAVING = 0.05;

/** A result may exceed the distance found on a part of the image by this factor. */
const MAX_EXCESS = 1.1;

/** Maximum pixels that are encoded to find the quality. */
const MAX_SAMPLE_PIXELS = 1_500_000;
/** AVIF takes 1 to 3 s per megapixel. */
const MAX_SLOW_SAMPLE_PIXELS = 400_000;
/** Smaller images are encoded whole. */
const MIN_STUDIED_SIDE = 64;
/**
 * Crops the image by this, so that its blocks differ from those of the source. With the same blocks, errors of the
 * source would be kept unchanged.
 */
const SHIFT = { left: 3, top: 5 } as const;

const LOSSLESS: Omit<Trial, 'format' | 'bytes'> = { quality: null, similarity: 1, chosen: false };

export interface SmartResult {
  /** Undefined if the source is kept. */
  candidate: Candidate | undefined;
  explain: Trial[];
}

interface Tried {
  candidate: Candidate;
  trial: Trial;
}

interface Lossy extends Tried {
  /** Distance of the image, or of the part of it that was encoded to find the quality. */
  distance: number;
}

/** @param isLossy whether the format has a lossy encoding */
export async function encodeSmart(encoder: Encoder, isLossy: boolean): Promise<SmartResult> {
  const { output, params } = encoder.job;
  const ceiling = params.target_bytes;
  const explain: Trial[] = [];
  const tryLossless = async (): Promise<Tried> => {
    const candidate = await encoder.lossless();
    const trial = { ...LOSSLESS, format: output, bytes: candidate.bytes };
    explain.push(trial);
    return { candidate, trial };
  };
  const hasFewColours = OUTPUTS[output].lossless && encoder.hasFewColours();
  const isFlat = hasFewColours || (OUTPUTS[output].losslessMayWin && encoder.isMostlyFlat());
  let lossless = !isLossy || isFlat ? await tryLossless() : undefined;
  let best = lossless;
  // Each compression with a palette smaller than the image's would lose more colours.
  if (isLossy && !(hasFewColours && OUTPUTS[output].palette)) {
    const reserved = OUTPUTS[output].lossless && !lossless ? 1 : 0;
    const lossy = await encodeLossy(encoder, explain, MAX_ENCODINGS - reserved);
    // With a byte limit, a file with visible loss may be the only one that fits.
    const isSeen = ceiling === undefined && lossy && lossy.distance > MAX_DISTANCE * MAX_EXCESS;
    if (isSeen && OUTPUTS[output].lossless) {
      lossless ??= await tryLossless();
      best = lossless;
    } else if (lossy && !(lossless && lossless.candidate.bytes <= lossy.candidate.bytes)) best = lossy;
  }
  if (!best) return { candidate: undefined, explain };
  const candidate = inFewestBytes(encoder.job, best.candidate);
  Object.assign(best.trial, { bytes: candidate.bytes, chosen: true });
  return { candidate, explain };
}

/**
 * @param maxEncodings that `explain` may hold
 * @returns undefined if the source is kept
 */
async function encodeLossy(encoder: Encoder, explain: Trial[], maxEncodings: number): Promise<Lossy | undefined> {
  const { output, params } = encoder.job;
  // A source in a lossy format may already have lost something.
  const original = FORMATS[output].coding === 'lossy' ? encoder.job.original : undefined;
  const ceiling = params.target_bytes;
  const studied = ceiling === undefined ? sampleImage(encoder.job, original !== undefined) : undefined;
  const image = studied && withFrame(encoder.job.image, studied);
  const student = image
    ? new Encoder({ ...encoder.job, image, original: undefined, wholePixels: encoder.pixels })
    : encoder;
  const share = student.pixels / encoder.pixels;
  const tried = new Map<number, { trial: Trial; point: CurvePoint }>();
  const found = await searchSmart({
    ...SEARCH,
    maxDistance: MAX_DISTANCE,
    encode: (quality) => student.lossy(quality),
    async measure(candidate: Candidate, quality: number) {
      const { similarity, distance } = await student.compare(candidate);
      const trial = { format: output, quality, bytes: Math.round(candidate.bytes / share), similarity, chosen: false };
      tried.set(quality, { trial, point: { quality, bytes: candidate.bytes, distance } });
      return distance;
    },
    ...(ceiling === undefined ? {} : { ceiling }),
  });
  explain.push(...[...tried.values()].map(({ trial }) => trial));
  if (student === encoder)
    return { candidate: found.result, trial: tried.get(found.quality)!.trial, distance: found.distance };

  const points = [...tried.values()].map(({ point }) => point);
  const sourceDistance = original ? distanceAt(points, original.length * share) : 0;
  if (sourceDistance >= KEPT_SHARE * MAX_DISTANCE) return undefined;
  const left = Math.sqrt(MAX_DISTANCE ** 2 - sourceDistance ** 2);
  // The source's own loss reduces the allowed loss.
  let quality = original ? Math.max(found.quality, qualityAt(points, left, SEARCH)) : found.quality;
  for (;;) {
    const candidate = encoder.requantized(quality) ?? (await encoder.lossy(quality));
    if (original && candidate.bytes > original.length * (1 - MIN_SAVING)) return undefined;
    const { similarity, distance } = await encoder.compare(candidate);
    const trial = { format: output, quality, bytes: candidate.bytes, similarity, chosen: false };
    explain.push(trial);
    // The whole image may get another chroma resolution than the part.
    const better = qualityAt([{ quality, bytes: candidate.bytes, distance }], left, SEARCH);
    const isEnough = distance <= left * MAX_EXCESS || better <= quality || explain.length >= maxEncodings;
    if (isEnough) return { candidate, trial, distance };
    quality = better;
  }
}

/**
 * The pixels that are encoded to find the quality: horizontal bands of a large image; for a source in the output
 * format, shifted pixels so that the blocks differ. Undefined for the image itself.
 */
function sampleImage({ context, image, output }: EncodeJob, shifts: boolean): Image | undefined {
  const [frame] = image.frames;
  const { width, height } = frame;
  if (image.frames.length > 1 || Math.min(width, height) < MIN_STUDIED_SIDE) return undefined;
  const { left, top } = SHIFT;
  const shifted = shifts ? frame.crop(left, top, width - left, height - top) : frame;
  const most = OUTPUTS[output].slow ? MAX_SLOW_SAMPLE_PIXELS : MAX_SAMPLE_PIXELS;
  const bands = bandsOf(shifted, most);
  if (!bands) return shifts ? shifted : undefined;
  const parts = bands.tops.map((at) => shifted.crop(0, at, shifted.width, bands.rows));
  return context.vips.Image.arrayjoin(parts, { across: 1 }).copyMemory();
}

/** Re-codes the file, so that the next smart compression cannot reduce it further. */
function inFewestBytes({ context, output }: EncodeJob, candidate: Candidate): Candidate {
  const data = recodeFile(context, output, candidate.data);
  return { ...candidate, data, bytes: data.length };
}
