/** Encodes and compares one image, and caches the data that several encodings share. */
import { freeBuffer } from '../../../base/free-buffer.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { Encoding } from '../../../codecs/encoding.ts';
import { FORMATS, OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { UPRIGHT } from '../../../codecs/jpeg/requantize.ts';
import { compressJpeg } from '../../../codecs/jpeg.ts';
import { writeMetadata } from '../../../codecs/metadata/index.ts';
import type { Metadata } from '../../../codecs/metadata/metadata.ts';
import { hasFewColours, isMostlyFlat } from '../../../codecs/pixel-facts.ts';
import { type Image, withFreedHandles } from '../../../codecs/vips.ts';
import { encode } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { type Candidate, encodeCandidate, type LossyOptions, lossyEncoding } from '../../quality/candidate.ts';
import { type DistanceReference, prepareDistance } from '../../quality/distance.ts';
import { rgbOf, rgbOfFile, shareOf } from '../../quality/measure.ts';
import { lumaOf, type Rgb } from '../../quality/rgb.ts';
import { prepareReference, type Reference } from '../../quality/similarity.ts';
import type { EncodingParams } from '../../steps/compress.ts';
import type { RecompressedFile } from './recompress.ts';

export interface EncodeJob {
  context: WorkerContext;
  /** The image after the steps. */
  image: DecodedImage;
  /** Result of recompressing a JPEG without decoding its pixels. */
  recompressed: RecompressedFile | undefined;
  output: OutputFormat;
  params: EncodingParams;
  /** Metadata of the result. */
  metadata: Metadata;
  /**
   * The source's own file, with its metadata handled as requested, if no pixel was changed. Preferred to a larger
   * encoding.
   */
  original: Uint8Array | undefined;
  sourceBytes: number;
  /** Pixels of the whole image if this is a part of it. Default: its own pixels. */
  wholePixels?: number;
  /** Whether the pixels are in memory and may be read several times. Otherwise rows come once, from top to bottom. */
  inMemory: boolean;
}

/** How close an encoding is to the image. For an animation, a few of its frames are compared. */
export interface Comparison {
  /** Mean over the frames; see engine/quality/similarity.ts. 1 is identical. */
  similarity: number;
  /** The worst frame; see engine/quality/distance.ts. 0 is identical. */
  distance: number;
}

/**
 * Maximum bytes of the rows of a PNG: a screenshot of 1920 x 1080. Takes at most 11 s of processor time (see
 * `PngEffort`), within the time limit of a task.
 */
const SMART_OPTIMAL_BYTES = 8 * 2 ** 20;

const IDENTICAL: Comparison = { similarity: 1, distance: 0 };

export class Encoder {
  readonly job: EncodeJob;
  readonly #similarities = new Map<number, Reference>();
  readonly #distances = new Map<number, DistanceReference>();

  constructor(job: EncodeJob) {
    this.job = job;
  }

  get pixels(): number {
    const { frames } = this.job.image;
    return frames[0].width * frames[0].height * frames.length;
  }

  /** Whether it is a single image with at most 256 colours. */
  hasFewColours(): boolean {
    return this.#isStill && hasFewColours(this.job.context.modules, this.job.image.frames[0]);
  }

  /** Whether it is a single image that consists mostly of runs of one colour. */
  isMostlyFlat(): boolean {
    return this.#isStill && isMostlyFlat(this.job.image.frames[0]);
  }

  get #isStill(): boolean {
    return this.job.inMemory && this.job.image.frames.length === 1;
  }

  #encode(encoding: Encoding): Promise<Candidate> {
    const { context, image, output, metadata } = this.job;
    return withFreedHandles(context.vips, () => encodeCandidate(context, image, output, encoding, metadata));
  }

  lossless(): Promise<Candidate> {
    const isSmart = this.job.params.mode === 'smart';
    return this.#encode({ lossless: true, ...(isSmart ? { png: { maxOptimalBytes: SMART_OPTIMAL_BYTES } } : {}) });
  }

  lossy(quality: number, options?: LossyOptions): Promise<Candidate> {
    if (OUTPUTS[this.job.output].palette && quality === 100) return this.lossless();
    const { wholePixels } = this.job;
    return this.#encode(lossyEncoding(quality, { ...options, ...(wholePixels === undefined ? {} : { wholePixels }) }));
  }

  /**
   * Requantises the source's coefficients. Undefined if this needs pixels, or if the quality is not below the source's
   * own.
   */
  requantized(quality: number): Candidate | undefined {
    const { context, output, original } = this.job;
    if (!FORMATS[output].jpegStream || !original) return undefined;
    const file = compressJpeg(context.modules, original, { turn: UPRIGHT, quality });
    return file === undefined || file === 'same' ? undefined : this.withMetadata(file, lossyEncoding(quality));
  }

  withMetadata(file: Uint8Array<ArrayBuffer>, encoding: Encoding): Candidate {
    const data = writeMetadata(this.job.output, file, this.job.metadata);
    if (data !== file) freeBuffer(file.buffer);
    return { data, bytes: data.length, encoding };
  }

  async similarity(candidate: Candidate): Promise<number> {
    if (candidate.encoding.lossless) return IDENTICAL.similarity;
    const compared: number[] = [];
    for await (const [index, rgb] of this.#decoded(candidate))
      compared.push(this.#similarityTo(index).compare(lumaOf(rgb)));
    return mean(compared);
  }

  async compare(candidate: Candidate): Promise<Comparison> {
    if (candidate.encoding.lossless) return IDENTICAL;
    const similarities: number[] = [];
    let distance = 0;
    for await (const [index, rgb] of this.#decoded(candidate)) {
      similarities.push(this.#similarityTo(index).compare(lumaOf(rgb)));
      distance = Math.max(distance, this.#distanceTo(index).compare(rgb));
    }
    return { similarity: mean(similarities), distance };
  }

  /** Decodes some frames of an encoding and yields them with their indexes. */
  async *#decoded(candidate: Candidate): AsyncGenerator<[number, Rgb]> {
    const { context, image, output } = this.job;
    const { wraps } = OUTPUTS[output];
    const format = (wraps ?? output) as OutputFormat;
    const data = wraps ? await encode(context, image, format, candidate.encoding, {}) : candidate.data;
    for (const index of spread(image.frames.length)) {
      const share = shareOf(image.timing?.delays ?? [], index);
      const rgb = await withFreedHandles(context.vips, () => rgbOfFile(context, data, format, share));
      yield [index, rgb];
      freePixels(rgb);
    }
  }

  #similarityTo(index: number): Reference {
    const known = this.#similarities.get(index) ?? this.#prepare(index, (rgb) => prepareReference(lumaOf(rgb)));
    this.#similarities.set(index, known);
    return known;
  }

  #distanceTo(index: number): DistanceReference {
    const known = this.#distances.get(index) ?? this.#prepare(index, prepareDistance);
    this.#distances.set(index, known);
    return known;
  }

  #prepare<R>(index: number, prepare: (rgb: Rgb) => R): R {
    const { context, image } = this.job;
    const rgb = rgbOf(context.vips, image.frames[index] as Image);
    const prepared = prepare(rgb);
    freePixels(rgb);
    return prepared;
  }
}

const freePixels = ({ data }: Rgb): void => freeBuffer(data.buffer as ArrayBuffer);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const MAX_COMPARED_FRAMES = 4;

/** Up to four frame indexes, evenly spread from the first to the last. */
function spread(count: number): number[] {
  const compared = Math.min(count, MAX_COMPARED_FRAMES);
  return Array.from({ length: compared }, (_, index) => Math.round((index * (count - 1)) / Math.max(1, compared - 1)));
}
