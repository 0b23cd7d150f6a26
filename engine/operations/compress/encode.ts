/** The modes of compress: which encodings are tried, and which one is answered. */
import { freeBuffer } from '../../../base/free-buffer.ts';
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats.ts';
import { UPRIGHT } from '../../../codecs/jpeg/requantize.ts';
import { compressJpeg } from '../../../codecs/jpeg.ts';
import { writeMetadata } from '../../../codecs/metadata/index.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import type { Picture } from '../../../codecs/picture.ts';
import { hasFewColours } from '../../../codecs/pixel-facts.ts';
import { freeingHandles, type Image } from '../../../codecs/vips.ts';
import { type Encoding, encode } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import {
  better,
  type Candidate,
  encodeCandidate,
  type LossyOptions,
  lossyEncoding,
  searchChroma,
} from '../../quality/candidate.ts';
import { luminanceOf, luminanceOfFile, shareOf } from '../../quality/measure.ts';
import { type Found, searchSmart, searchTarget } from '../../quality/search.ts';
import { prepareReference, type Reference, type Similarity } from '../../quality/similarity.ts';
import type { Outcome, Trial, Warning } from '../../result.ts';
import type { CompressParams } from './params.ts';
import { mayBecome, recoded } from './recoded.ts';
import type { RecompressedFile } from './recompress.ts';

export interface EncodeJob {
  context: WorkerContext;
  /** As the steps left it. */
  picture: Picture;
  /** What became of a JPEG without its pixels. */
  recompressed: RecompressedFile | undefined;
  output: OutputFormat;
  params: CompressParams;
  /** What the result carries. */
  metadata: Metadata;
  /** The source's own file, with its metadata handled as asked, when no pixel was changed; it beats a larger encoding. */
  original: Uint8Array | undefined;
  sourceBytes: number;
  /** The pixels are in memory and may be read several times; else rows come once, from top to bottom. */
  inMemory: boolean;
}

export interface Encoded {
  bytes: Uint8Array;
  outcome: Outcome;
  warnings: Warning[];
  similarity?: number;
  explain?: Trial[];
}

/**
 * Similarity, of the whole picture and of its worst part, that counts as "still looks like the original": photographs land
 * at a Butteraugli 3-norm of 1.0 to 1.4 (measured over 300 encodings, engine/quality/similarity.ts).
 */
const SMART_THRESHOLD = 0.985;
const MAX_QUALITY = 100;
/** Of a target, what the size of a result shall reach (spec/shapes.md, "target"). */
const MIN_TARGET_SHARE = 0.97;
/** Larger images take the quality that is found first: their sizes grow in small steps, and more searches would take too long. */
const MAX_TARGET_PIXELS = 4_000_000;
/** Of the rows of a PNG: a screenshot of 1920 x 1080. Takes at most 11 s of processor time (see `PngEffort`), within the time limit of a task. */
const SMART_OPTIMAL_BYTES = 8 * 2 ** 20;
const SMART_QUALITIES = { min: 40, max: 92, encodings: 8 } as const;

/** Similarity that a palette must reach at quality 75; it grows with the quality. Otherwise true colour is written. */
const paletteThreshold = (quality: number) => 0.9 + quality / 1000;

const LOSSY_FORMATS: ReadonlySet<OutputFormat> = new Set(['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'jxl', 'pdf']);
const PADDED_FORMATS: ReadonlySet<OutputFormat> = new Set(['jpeg', 'png']);

/** Encodes and measures one picture; remembers what several encodings share. */
class Encoder {
  readonly #job: EncodeJob;
  readonly #references = new Map<number, Reference>();
  #flat: boolean | undefined;

  constructor(job: EncodeJob) {
    this.#job = job;
  }

  get pixels(): number {
    const [frame] = this.#job.picture.frames;
    return frame.width * frame.height * this.#job.picture.frames.length;
  }

  /** At most 256 colours. */
  get flat(): boolean {
    const { context, inMemory, picture } = this.#job;
    this.#flat ??= inMemory && picture.frames.length === 1 && hasFewColours(context.modules, picture.frames[0]);
    return this.#flat;
  }

  #encode(encoding: Encoding): Promise<Candidate> {
    const { context, picture, output, metadata } = this.#job;
    return freeingHandles(context.vips, () => encodeCandidate(context, picture, output, encoding, metadata));
  }

  lossless(): Promise<Candidate> {
    const isSmart = this.#job.params.mode === 'smart';
    return this.#encode({ lossless: true, ...(isSmart ? { png: { maxOptimalBytes: SMART_OPTIMAL_BYTES } } : {}) });
  }

  lossy(quality: number, options?: LossyOptions): Promise<Candidate> {
    // A PNG of full quality is one with every colour.
    if (this.#job.output === 'png' && quality === 100) return this.lossless();
    return this.#encode(lossyEncoding(quality, options));
  }

  /** Whether the source is a JPEG of which the result is a coarser one. */
  get canRequantize(): boolean {
    return this.requantized(1) !== undefined;
  }

  /** The source with coarser coefficients; undefined where this needs pixels, and where the quality is not below its own. */
  requantized(quality: number): Candidate | undefined {
    const { context, output, original } = this.#job;
    if (output !== 'jpeg' || !original) return undefined;
    const file = compressJpeg(context.modules, original, { turn: UPRIGHT, quality });
    return file === undefined || file === 'same' ? undefined : this.withMetadata(file, lossyEncoding(quality));
  }

  withMetadata(file: Uint8Array<ArrayBuffer>, encoding: Encoding): Candidate {
    const data = writeMetadata(this.#job.output, file, this.#job.metadata);
    if (data !== file) freeBuffer(file.buffer);
    return { data, bytes: data.length, encoding };
  }

  /** How close an encoding is to the picture as the steps left it: of an animation, to a few of its frames. */
  async similarity(candidate: Candidate): Promise<Similarity> {
    if (candidate.encoding.lossless) return EQUAL;
    const { context, picture, output } = this.#job;
    // Of a PDF the JPEG in it is looked at.
    const [data, format] =
      output === 'pdf'
        ? [await encode(context, picture, 'jpeg', candidate.encoding, {}), 'jpeg' as const]
        : [candidate.data, output];
    const measured: Similarity[] = [];
    for (const index of spread(picture.frames.length)) {
      const reference = this.#references.get(index) ?? prepareReference(luminanceOf(picture.frames[index] as Image));
      this.#references.set(index, reference);
      const share = shareOf(picture.timing?.delays ?? [], index);
      const luminance = await freeingHandles(context.vips, () => luminanceOfFile(context, data, format, share));
      measured.push(reference.compare(luminance));
    }
    return {
      mean: measured.reduce((sum, { mean }) => sum + mean, 0) / measured.length,
      worst: Math.min(...measured.map(({ worst }) => worst)),
    };
  }
}

/** The source's own file is as close to itself as can be. */
const ORIGINAL: Encoding = { lossless: true };
const EQUAL: Similarity = { mean: 1, worst: 1 };
const MEASURED_FRAMES = 4;

/** Up to four places, evenly spread from the first to the last of so many. */
function spread(count: number): number[] {
  const places = Math.min(count, MEASURED_FRAMES);
  return Array.from({ length: places }, (_, index) => Math.round((index * (count - 1)) / Math.max(1, places - 1)));
}

/** Finding a palette takes 12 bytes for each pixel, the picture as RGBA among them; without it rows are written as they come. */
const MAX_PALETTE_PIXELS = 64_000_000;

/** PNG loses colours only: a palette is used where it does the picture no harm. */
async function palettePng(encoder: Encoder, quality: number): Promise<Candidate> {
  const palette = await encoder.lossy(quality);
  if (palette.encoding.lossless) return palette;
  const { mean } = await encoder.similarity(palette);
  return mean >= paletteThreshold(quality) ? palette : encoder.lossless();
}

function byQuality(encoder: Encoder, { output, params }: EncodeJob): Promise<Candidate> {
  if (!LOSSY_FORMATS.has(output)) return encoder.lossless();
  if (output !== 'png') return encoder.lossy(params.quality);
  return encoder.pixels > MAX_PALETTE_PIXELS ? encoder.lossless() : palettePng(encoder, params.quality);
}

/** The largest quality that fits; where its file is not close to the target, other ways to code the image are searched too. */
async function byTarget(encoder: Encoder, { output }: EncodeJob, targetBytes: number): Promise<Candidate> {
  if (!LOSSY_FORMATS.has(output)) return encoder.lossless();
  const minBytes = encoder.pixels > MAX_TARGET_PIXELS ? 0 : targetBytes * MIN_TARGET_SHARE;
  const search = (encode: (quality: number) => Promise<Candidate>) =>
    searchTarget({ encode, targetBytes, minBytes, min: 1, max: MAX_QUALITY });
  const isClose = ({ fits, result, quality }: Found<Candidate>) =>
    fits && (minBytes > 0 ? result.bytes >= minBytes : quality < MAX_QUALITY);
  const coarser = encoder.canRequantize
    ? await search(async (quality) => encoder.requantized(quality) ?? (await encoder.lossy(quality)))
    : undefined;
  if (coarser && isClose(coarser)) return coarser.result;
  const encoded = await searchChroma(
    output,
    (options) => search((quality) => encoder.lossy(quality, options)),
    isClose,
  );
  return (coarser ? better(encoded, coarser) : encoded).result;
}

interface SmartResult {
  candidate: Candidate;
  explain: Trial[];
}

/** The smallest file that still looks like the original; pictures of few colours are tried without loss as well. */
async function bySmart(encoder: Encoder, { output, params }: EncodeJob): Promise<SmartResult> {
  const trials: Trial[] = [];
  const lossy = LOSSY_FORMATS.has(output);
  let best: { candidate: Candidate; trial: Trial } | undefined;

  if (!lossy || (OUTPUTS[output].lossless && encoder.flat)) {
    const candidate = await encoder.lossless();
    const trial = { format: output, quality: null, bytes: candidate.bytes, similarity: 1, chosen: false };
    trials.push(trial);
    best = { candidate, trial };
  }
  if (lossy) {
    const byQuality = new Map<number, Trial>();
    const found = await searchSmart({
      ...SMART_QUALITIES,
      threshold: SMART_THRESHOLD,
      encode: (quality) => encoder.lossy(quality),
      async measure(candidate: Candidate, quality: number) {
        const { mean, worst } = await encoder.similarity(candidate);
        byQuality.set(quality, { format: output, quality, bytes: candidate.bytes, similarity: mean, chosen: false });
        // A small part that is visibly broken weighs as much as a whole that is.
        return Math.min(mean, worst);
      },
      ...(params.target_bytes === undefined ? {} : { ceiling: params.target_bytes }),
    });
    trials.push(...byQuality.values());
    const trial = byQuality.get(found.quality) as Trial;
    if (!best || found.result.bytes < best.candidate.bytes) best = { candidate: found.result, trial };
  }
  const { candidate, trial } = best as NonNullable<typeof best>;
  trial.chosen = true;
  return { candidate, explain: trials };
}

function outcomeOf({ params, sourceBytes, output }: EncodeJob, bytes: number, kept: boolean): Outcome {
  const { target_bytes, min_bytes } = params;
  if (target_bytes !== undefined && bytes > target_bytes) return 'unreachable';
  if (target_bytes !== undefined || (min_bytes !== undefined && PADDED_FORMATS.has(output))) return 'target_met';
  if (kept) return 'kept_original';
  return bytes < sourceBytes ? 'reduced' : 'grown';
}

/** Encodes as the mode asks; the plan has checked that it can. */
export async function encodeResult(job: EncodeJob): Promise<Encoded> {
  const { context, output, params, original: source, recompressed } = job;
  const { target_bytes: targetBytes, min_bytes: minBytes } = params;
  const encoder = new Encoder(job);
  let smallest: Uint8Array | undefined;
  /** The source's own file, to be compared with one of so many bytes. It is re-coded once. */
  const keptFor = (bytes: number): Uint8Array | undefined => {
    if (!source || !mayBecome(bytes, source)) return source;
    smallest ??= recoded(context, output, source);
    return smallest;
  };
  const done = async (candidate: Candidate | undefined, extra: Partial<Encoded> = {}): Promise<Encoded> => {
    const original = keptFor(candidate?.bytes ?? Number.POSITIVE_INFINITY);
    const kept = original !== undefined && (candidate === undefined || candidate.bytes >= original.length);
    const chosen = kept ? { data: original, bytes: original.length, encoding: ORIGINAL } : (candidate as Candidate);
    const padded =
      minBytes !== undefined && PADDED_FORMATS.has(output)
        ? padTo(output as 'jpeg' | 'png', chosen.data, minBytes)
        : chosen.data;
    const similarity = params.score ? { similarity: (await encoder.similarity(chosen)).mean } : {};
    return {
      ...extra,
      ...similarity,
      bytes: padded,
      outcome: outcomeOf(job, padded.length, kept),
      warnings: minBytes !== undefined && !PADDED_FORMATS.has(output) ? ['min_size_unavailable'] : [],
    };
  };

  if (recompressed instanceof Uint8Array)
    return done(encoder.withMetadata(recompressed, lossyEncoding(params.quality)));
  // The container of a file may be too damaged to be written again.
  if (recompressed === 'same' && source) return done(undefined);
  if (params.mode === 'lossless') return done(await encoder.lossless());
  if (params.mode === 'smart') {
    const { candidate, explain } = await bySmart(encoder, job);
    return done(candidate, { explain });
  }
  if (targetBytes !== undefined) {
    // What already fits is not made worse.
    const original = keptFor(targetBytes);
    const fits = original !== undefined && original.length <= targetBytes;
    return done(fits ? undefined : await byTarget(encoder, job, targetBytes));
  }
  return done(await byQuality(encoder, job));
}

/** Whether a request needs the pixels of a picture of this size more than once. */
export function encodesRepeatedly(
  { mode, target_bytes, score }: CompressParams,
  output: OutputFormat,
  { width, height }: { width: number; height: number },
): boolean {
  const triesPalette = output === 'png' && mode === 'quality' && width * height <= MAX_PALETTE_PIXELS;
  return mode === 'smart' || mode === 'target' || target_bytes !== undefined || score || triesPalette;
}
