/** The modes of compress: which encodings are tried, and which one is returned. */

import type { Encoding } from '../../../codecs/encoding.ts';
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import { better, type Candidate, lossyEncoding, searchChroma } from '../../quality/candidate.ts';
import { type Found, searchTarget } from '../../quality/search.ts';
import type { Outcome, Trial, Warning } from '../../result.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import { type EncodeJob, Encoder } from './encoder.ts';
import { canShrinkTo, recodeFile } from './recoded.ts';
import { encodeSmart } from './smart.ts';

export interface Encoded {
  bytes: Uint8Array;
  outcome: Outcome;
  /** It is the source's own file. */
  isKept: boolean;
  warnings: Warning[];
  similarity?: number;
  explain?: Trial[];
}

export const MAX_QUALITY = 100;
/** Minimum size of the result, as a share of the target (docs/spec/shapes.md, "target"). */
const MIN_TARGET_SHARE = 0.97;
/**
 * Larger images take the quality that is found first: their sizes grow in small steps, and more searches would take too
 * long.
 */
const MAX_TARGET_PIXELS = 4_000_000;
/**
 * Similarity that a palette must reach: 0.975 at quality 75, and more at higher quality. Otherwise true colour is
 * written.
 */
const paletteThreshold = (quality: number) => 0.9 + quality / 1000;

/** Encoding of the source's own file. */
const ORIGINAL: Encoding = { lossless: true };

/**
 * Larger images get no palette: finding one takes 12 bytes per pixel, including the image as RGBA. Without a palette,
 * rows are written as they are decoded.
 */
const MAX_PALETTE_PIXELS = 64_000_000;

/** PNG is lossy only by its palette, which is used only if the image stays close to the original. */
async function palettePng(encoder: Encoder, quality: number): Promise<Candidate> {
  const palette = await encoder.lossy(quality);
  if (palette.encoding.lossless) return palette;
  const similarity = await encoder.similarity(palette);
  return similarity >= paletteThreshold(quality) ? palette : encoder.lossless();
}

function byQuality(encoder: Encoder, { output, params }: EncodeJob): Promise<Candidate> {
  if (!OUTPUTS[output].lossy) return encoder.lossless();
  if (!OUTPUTS[output].palette) return encoder.lossy(params.quality);
  return encoder.pixels > MAX_PALETTE_PIXELS ? encoder.lossless() : palettePng(encoder, params.quality);
}

/**
 * Finds the highest quality that fits. If its file is not close to the target, also searches other encodings of the
 * image.
 */
async function byTarget(encoder: Encoder, { output }: EncodeJob, targetBytes: number): Promise<Candidate> {
  if (!OUTPUTS[output].lossy) return encoder.lossless();
  const minBytes = encoder.pixels > MAX_TARGET_PIXELS ? 0 : targetBytes * MIN_TARGET_SHARE;
  const search = (encode: (quality: number) => Promise<Candidate>) =>
    searchTarget({ encode, targetBytes, minBytes, min: 1, max: MAX_QUALITY });
  const isClose = ({ fits, result, quality }: Found<Candidate>) =>
    fits && (minBytes > 0 ? result.bytes >= minBytes : quality < MAX_QUALITY);
  // If the source's coefficients can be requantised at all, then at the lowest quality.
  const coarser = encoder.requantized(1)
    ? await search(async (quality) => encoder.requantized(quality) ?? (await encoder.lossy(quality)))
    : undefined;
  if (coarser && isClose(coarser)) return coarser.result;
  const encoded = await searchChroma(
    output,
    (options) => search((quality) => encoder.lossy(quality, { ...options, repeated: true })),
    isClose,
  );
  return (coarser ? better(encoded, coarser) : encoded).result;
}

function outcomeOf({ params, sourceBytes, output }: EncodeJob, bytes: number, kept: boolean): Outcome {
  const { target_bytes, min_bytes } = params;
  if (target_bytes !== undefined && bytes > target_bytes) return 'unreachable';
  if (target_bytes !== undefined || (min_bytes !== undefined && OUTPUTS[output].pad !== undefined)) return 'target_met';
  if (kept) return 'kept_original';
  return bytes < sourceBytes ? 'reduced' : 'grown';
}

/** Encodes as the mode requires. The plan has checked that the format can. */
export async function encodeResult(job: EncodeJob): Promise<Encoded> {
  const { context, output, params, original: source, recompressed } = job;
  const { target_bytes: targetBytes, min_bytes: minBytes } = params;
  const encoder = new Encoder(job);
  let smallest: Uint8Array | undefined;
  /** The source's own file, for comparison with a file of this size. Re-coded at most once. */
  const keptFor = (bytes: number): Uint8Array | undefined => {
    if (!source || !canShrinkTo(bytes, source)) return source;
    smallest ??= recodeFile(context, output, source);
    return smallest;
  };
  const done = async (candidate: Candidate | undefined, extra: Partial<Encoded> = {}): Promise<Encoded> => {
    const original = keptFor(candidate?.bytes ?? Number.POSITIVE_INFINITY);
    const kept = original !== undefined && (candidate === undefined || candidate.bytes >= original.length);
    const chosen = kept ? { data: original, bytes: original.length, encoding: ORIGINAL } : (candidate as Candidate);
    const padded = minBytes === undefined ? chosen.data : padTo(output, chosen.data, minBytes);
    const similarity = params.score ? { similarity: await encoder.similarity(chosen) } : {};
    return {
      ...extra,
      ...similarity,
      bytes: padded,
      outcome: outcomeOf(job, padded.length, kept),
      isKept: kept,
      warnings: minBytes !== undefined && !OUTPUTS[output].pad ? ['min_size_unavailable'] : [],
    };
  };

  if (recompressed instanceof Uint8Array)
    return done(encoder.withMetadata(recompressed, lossyEncoding(params.quality)));
  // The container of a file may be too damaged to be rewritten.
  if (recompressed === 'same' && source) return done(undefined);
  if (params.mode === 'lossless') return done(await encoder.lossless());
  if (params.mode === 'smart') {
    const { candidate, explain } = await encodeSmart(encoder, OUTPUTS[output].lossy);
    return done(candidate, { explain });
  }
  if (targetBytes !== undefined) {
    // A source that already fits is not made worse.
    const original = keptFor(targetBytes);
    const fits = original !== undefined && original.length <= targetBytes;
    return done(fits ? undefined : await byTarget(encoder, job, targetBytes));
  }
  return done(await byQuality(encoder, job));
}

/** Whether a request needs the pixels of an image of this size more than once. */
export function encodesRepeatedly(
  { mode, target_bytes, score }: EncodingParams,
  output: OutputFormat,
  { width, height }: { width: number; height: number },
): boolean {
  const triesPalette = OUTPUTS[output].palette === true && mode === 'quality' && width * height <= MAX_PALETTE_PIXELS;
  return mode === 'smart' || mode === 'target' || target_bytes !== undefined || score || triesPalette;
}
