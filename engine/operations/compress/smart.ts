/** `mode=smart`: the smallest file that still looks like the original. */
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats.ts';
import type { Image } from '../../../codecs/vips.ts';
import { bandsOf } from '../../quality/bands.ts';
import type { Candidate } from '../../quality/candidate.ts';
import { type CurvePoint, distanceAt, qualityAt } from '../../quality/curve.ts';
import { searchSmart } from '../../quality/search.ts';
import type { Trial } from '../../result.ts';
import { type EncodeJob, Encoder } from './encoder.ts';
import { recoded } from './recoded.ts';

/**
 * The distance (engine/quality/distance.ts) that still looks like the original. Of sixty images as JPEG, WebP and AVIF the 3-norm of Butteraugli is then
 * at most 1.5 for 95 % (npm run bench:smart).
 */
const MAX_DISTANCE = 1.1;
/** Those of spec/shapes.md. */
const MAX_ENCODINGS = 8;
/** Two more are left for the file itself and for one without loss. */
const SEARCH = { min: 25, max: 95, encodings: 6 } as const;
/**
 * A source that is this far from its own original, in proportion to what is allowed, is kept: what is lost adds up as squares, so another
 * encoding that may lose less than the source did would be larger.
 */
const KEPT_SHARE = Math.SQRT1_2;
/** A result that saves less is not worth what it loses. */
const MIN_SAVING = 0.05;

/** A result may be this much further away than what was found on a part of the image. */
const MAX_EXCESS = 1.1;

/** Pixels that are encoded to find the quality. */
const MAX_STUDIED_PIXELS = 1_500_000;
/** AVIF takes 1 to 3 s for each megapixel. */
const MAX_STUDIED_AVIF_PIXELS = 400_000;
/** Smaller images are studied as they are. */
const MIN_STUDIED_SIDE = 64;
/** By so much an image is cut, so that its blocks are not those of the source: errors of the source would be kept as they are. */
const SHIFT = { left: 3, top: 5 } as const;

/** Formats of which a file without loss may be the smallest, when the image is mostly flat. Not AVIF: a screenshot of 1920 x 1080 takes 664 kB, as WebP 76 kB. */
const LOSSLESS_WINS: ReadonlySet<OutputFormat> = new Set(['png', 'webp', 'jxl']);

const LOSSLESS: Omit<Trial, 'format' | 'bytes'> = { quality: null, similarity: 1, chosen: false };

export interface SmartResult {
  /** Undefined where the source is to be kept. */
  candidate: Candidate | undefined;
  explain: Trial[];
}

interface Tried {
  candidate: Candidate;
  trial: Trial;
}

interface Lossy extends Tried {
  /** Of the image, or of the part of it that was studied. */
  distance: number;
}

/** A source in one of these formats may have lost something before. */
const LOSSY_SOURCES: ReadonlySet<OutputFormat> = new Set(['jpeg', 'webp', 'avif', 'jxl']);

/** @param isLossy whether the format has an encoding with loss */
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
  const isFlat = hasFewColours || (LOSSLESS_WINS.has(output) && encoder.isMostlyFlat());
  let lossless = !isLossy || isFlat ? await tryLossless() : undefined;
  let best = lossless;
  // A palette of fewer colours than it has would lose some each time.
  if (isLossy && !(hasFewColours && output === 'png')) {
    const reserved = OUTPUTS[output].lossless && !lossless ? 1 : 0;
    const lossy = await encodeLossy(encoder, explain, MAX_ENCODINGS - reserved);
    // With a limit of bytes even a loss that is seen may be all that fits.
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
 * @returns undefined for a source that is to be kept
 */
async function encodeLossy(encoder: Encoder, explain: Trial[], maxEncodings: number): Promise<Lossy | undefined> {
  const { output, params } = encoder.job;
  const original = LOSSY_SOURCES.has(output) ? encoder.job.original : undefined;
  const ceiling = params.target_bytes;
  const studied = ceiling === undefined ? study(encoder.job, original !== undefined) : undefined;
  const picture = studied && { ...encoder.job.picture, frames: [studied] as [Image] };
  const student = picture
    ? new Encoder({ ...encoder.job, picture, original: undefined, wholePixels: encoder.pixels })
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
  // Less may be lost than was searched for.
  let quality = original ? Math.max(found.quality, qualityAt(points, left, SEARCH)) : found.quality;
  for (;;) {
    const candidate = encoder.requantized(quality) ?? (await encoder.lossy(quality));
    if (original && candidate.bytes > original.length * (1 - MIN_SAVING)) return undefined;
    const { similarity, distance } = await encoder.compare(candidate);
    const trial = { format: output, quality, bytes: candidate.bytes, similarity, chosen: false };
    explain.push(trial);
    // The whole image may get another resolution of colour than the part of it.
    const better = qualityAt([{ quality, bytes: candidate.bytes, distance }], left, SEARCH);
    const isEnough = distance <= left * MAX_EXCESS || better <= quality || explain.length >= maxEncodings;
    if (isEnough) return { candidate, trial, distance };
    quality = better;
  }
}

/**
 * What is encoded to find the quality, instead of the image itself: of a large image bands from top to bottom; of a file in the format of
 * the result its pixels with other blocks. Undefined for the image itself.
 */
function study({ context, picture, output }: EncodeJob, shifts: boolean): Image | undefined {
  const [image] = picture.frames;
  const { width, height } = image;
  if (picture.frames.length > 1 || Math.min(width, height) < MIN_STUDIED_SIDE) return undefined;
  const { left, top } = SHIFT;
  const shifted = shifts ? image.crop(left, top, width - left, height - top) : image;
  const most = output === 'avif' ? MAX_STUDIED_AVIF_PIXELS : MAX_STUDIED_PIXELS;
  const bands = bandsOf(shifted, most);
  if (!bands) return shifts ? shifted : undefined;
  const parts = bands.tops.map((at) => shifted.crop(0, at, shifted.width, bands.rows));
  return context.vips.Image.arrayjoin(parts, { across: 1 }).copyMemory();
}

/** The same file re-coded, so that the next smart compression finds nothing to do. */
function inFewestBytes({ context, output }: EncodeJob, candidate: Candidate): Candidate {
  const data = recoded(context, output, candidate.data);
  return { ...candidate, data, bytes: data.length };
}
