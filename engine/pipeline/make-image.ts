/**
 * The executor: decodes once, applies one step after another, encodes once. For pipelines, and for compress, whose steps
 * are made from its parameters.
 */
import { hasAlpha, sampleMax } from '../../codecs/colour.ts';
import { copyToMemory, type DecodedImage, decodedBytes, type Header, mapFrames } from '../../codecs/decoded-image.ts';
import { FORMATS, type FormatId, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import { decode, type OpenedImage, type Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { openAuxiliaryImage } from '../operations/auxiliary-images.ts';
import { shownPart } from '../operations/compress/gain-map.ts';
import { type RecompressedFile, type Recompression, recompress } from '../operations/compress/recompress.ts';
import { writeResult } from '../operations/compress/write.ts';
import { encoderFailed } from '../operations/retry-truncated.ts';
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { flatten } from '../steps/canvas.ts';
import type { EncodingParams } from '../steps/compress.ts';
import { drawIcon } from '../steps/icon.ts';
import { changesPixels, isDone, type Resolution, readsTwice, type SizedStep } from '../steps/step.ts';
import type { Decoding } from './decoding.ts';

/** What is known before the pixels are decoded. */
export interface ImagePlan {
  file: Uint8Array;
  /** The page that the request names, from 1. */
  page: number | undefined;
  /** The unchanged source. */
  stored: Source;
  /** The source as it is opened. */
  source: Source;
  steps: readonly SizedStep[];
  decoding: Decoding;
  /** The image that the plan has decoded, if the run can continue from it. */
  begun?: Decoded | undefined;
}

export interface ImageEncoding {
  output: OutputFormat;
  params: EncodingParams;
  resolution: Resolution;
}

/** Runs the work of a step. */
type Attempt = <R>(step: SizedStep, work: () => R | Promise<R>) => Promise<R>;

export interface StepsJob {
  context: WorkerContext;
  plan: ImagePlan;
  logo: SourceFile | undefined;
  /** Accept a file that ends early, as far as it can be read. */
  tolerant: boolean;
  /** When the work began. */
  started: number;
  /** Measures the steps and names them in errors; undefined if they are not reported. Then pixels are computed once. */
  report: Attempt | undefined;
  /** Makes the frames, if not as the decoder does. */
  frames?: (() => Promise<Decoded>) | undefined;
}

export interface ImageJob extends StepsJob {
  encoding: ImageEncoding;
  /** The step that determines the encoding, if there is one. */
  encodedBy: SizedStep | undefined;
}

export interface Decoded {
  opened: OpenedImage;
  image: DecodedImage;
  decodedAt: number;
  /** The image in memory after the first steps, if they were applied already. */
  begun?: { image: DecodedImage; steps: number; warnings: readonly Warning[] };
}

export interface StepsResult extends Omit<Decoded, 'begun'> {
  warnings: Warning[];
  /** Whether no pixels of the image are still to be computed. */
  inMemory: boolean;
}

/** @throws Failure of decoding and of the steps */
export async function makeImage(job: ImageJob): Promise<ImageResult> {
  const { plan, encoding } = job;
  const isChanged = changesImage(job, encoding);
  const { params, recompressed } = await recompressSource(job, encoding, isChanged);
  const decoded = await (job.frames ?? (() => decodeSource(job, recompressed?.opened)))();
  const sequential = recompressed !== undefined || (plan.decoding.sequential && !job.frames);
  const applied = await applyAll(job, decoded, sequential, [encoding]);
  const write = () => writeImage(job, applied, { ...encoding, params, recompressed: recompressed?.file, isChanged });
  return job.report && job.encodedBy ? await job.report(job.encodedBy, write) : await write();
}

/** Whether the result cannot be the source's own file, because a step changes pixels or the format is another. */
export function changesImage({ plan, frames }: StepsJob, { output }: Pick<ImageEncoding, 'output'>): boolean {
  const isStepped = frames !== undefined || plan.steps.some((step) => isDone(step) && changesPixels(step));
  return isStepped || !isStoredAs(output, plan.source.header, plan.decoding.animation);
}

/** Recompresses a JPEG without decoding its pixels, if the request allows it. */
export async function recompressSource(
  { context, plan, tolerant, frames }: StepsJob,
  { output, params }: ImageEncoding,
  isChanged: boolean,
): Promise<Recompression> {
  const { file, source, decoding, page } = plan;
  return await recompress(context, {
    ...{ bytes: file, source, output, params, request: { ...decoding, tolerant } },
    // The JPEG codec reads only the first page.
    steps: (page ?? 1) !== 1 || frames ? undefined : plan.steps.filter(isDone),
    writesSame: isChanged,
  });
}

export interface AppliedSteps extends StepsResult {
  /** Whether rows come once, from top to bottom. */
  sequential: boolean;
  /** The transparency that results lose. Only what one of the formats would lose is known. */
  lostAlpha: ReadonlySet<AlphaLoss>;
}

/** What a format loses of transparency: any, or what is between transparent and opaque. */
type AlphaLoss = 'any' | 'partial';

/** Returns undefined for a format that loses none, which one with two levels does not of a source with two. */
function alphaLossOf(output: OutputFormat, input: FormatId): AlphaLoss | undefined {
  const { alpha, binaryAlpha } = OUTPUTS[output];
  if (!alpha) return 'any';
  return binaryAlpha && !FORMATS[input].output?.binaryAlpha ? 'partial' : undefined;
}

/** Applies all steps of the plan. @param encodings of all results that are made from the image */
export async function applyAll(
  job: StepsJob,
  decoded: Decoded,
  sequential: boolean,
  encodings: readonly Pick<ImageEncoding, 'output'>[],
): Promise<AppliedSteps> {
  const { plan } = job;
  const possible = new Set(encodings.map(({ output }) => alphaLossOf(output, plan.source.header.format)));
  const losses = [...possible].filter((loss) => loss !== undefined);
  const covered = plan.steps.some((step) => isDone(step) && step.definition.replacesAlpha);
  const { sequential: inOrder } = plan.decoding;
  const lost = covered ? losses : losses.filter((loss) => hasAlphaToLose(decoded.image, inOrder, loss));
  const stepped = await applySteps(job, decoded, sequential);
  const isLost = !covered || hasAlpha(stepped.image.frames[0]);
  return { ...stepped, sequential, lostAlpha: new Set(isLost ? lost : []) };
}

interface Writing extends ImageEncoding {
  recompressed: RecompressedFile | undefined;
  isChanged: boolean;
}

/** Writes the image after the steps in one format. */
export async function writeImage(
  job: StepsJob,
  { image, warnings, opened, decodedAt, sequential, inMemory, lostAlpha }: AppliedSteps,
  encoding: Writing,
): Promise<ImageResult> {
  const { context, plan, tolerant, frames } = job;
  const { file, page, stored, source } = plan;
  const { output, params, resolution, recompressed, isChanged } = encoding;
  const alphaLoss = alphaLossOf(output, source.header.format);
  const isFlattened = alphaLoss !== undefined && lostAlpha.has(alphaLoss);
  const flattened: Warning[] = isFlattened ? ['alpha_flattened'] : [];
  const fitted = fitFormat(context, encoding, image);
  return await writeResult(context, {
    bytes: file,
    ...{ page, stored, source, opened, animation: plan.decoding.animation, sequential },
    recompressed,
    image: fitted,
    isComputed: inMemory && fitted === image && !frames,
    ...{ output, params, resolution },
    unchanged: !tolerant && !opened.converted && !isFlattened && !isChanged,
    shown: tolerant || opened.converted || frames ? undefined : shownPart(plan.steps.filter(isDone), source.header),
    // A pipeline names the warnings of its steps first, compress the flattening.
    warnings: job.report ? [...warnings, ...flattened] : [...flattened, ...warnings],
    started: job.started,
    decodedAt,
  });
}

type DecodingJob = Pick<StepsJob, 'context' | 'tolerant'> & { plan: Pick<ImagePlan, 'source' | 'decoding' | 'begun'> };

/** @param ready an image that needs no decoding */
export async function decodeSource(
  { context, plan: { source, decoding, begun }, tolerant }: DecodingJob,
  ready?: OpenedImage,
): Promise<Decoded> {
  if (begun && !ready) return begun;
  const opened = ready ?? (await decode(context.vips, source, { ...decoding, tolerant }));
  return { opened, decodedAt: performance.now(), image: opened };
}

/**
 * While less than this is held, each reported step is computed at once, so that its measured time is its own; images
 * are freed when the task ends. Larger ones are computed when a step reads them twice, and at the end.
 */
const MAX_HELD_BYTES = 256 * 2 ** 20;

/**
 * Applies the steps that are done, after those that were applied already.
 * @param sequential whether rows come once, from top to bottom
 */
export async function applySteps(
  job: Pick<StepsJob, 'context' | 'logo' | 'report'> & { plan: Pick<ImagePlan, 'steps'> },
  decoded: Decoded,
  sequential: boolean,
): Promise<StepsResult> {
  const { context, plan, report } = job;
  const { begun, ...source } = decoded;
  const { image, steps: applied, warnings } = begun ?? { image: decoded.image, steps: 0, warnings: [] };
  const stepped: StepsResult = { ...source, image, warnings: [...warnings], inMemory: !sequential };
  const logo = job.logo && (() => openAuxiliaryImage(context, job.logo!, 'watermark_image'));
  const apply = async ({ definition, params, before, after }: SizedStep, image: DecodedImage) => {
    const result = await definition.apply!(image, params, { context, before, after, logo });
    const changed = 'frames' in result ? { image: result, warnings: [] } : result;
    stepped.image = changed.image;
    stepped.warnings.push(...changed.warnings);
  };
  let held = sequential ? 0 : decodedBytes(image);
  for (const step of plan.steps.slice(applied)) {
    if (!isDone(step) || !step.definition.apply) continue;
    if (!report) {
      await apply(step, stepped.image);
      stepped.inMemory = false;
      continue;
    }
    await report(step, async () => {
      try {
        await apply(step, !stepped.inMemory && readsTwice(step) ? copyToMemory(stepped.image) : stepped.image);
        held += decodedBytes(stepped.image);
        stepped.inMemory = !sequential && held <= MAX_HELD_BYTES;
        if (stepped.inMemory) stepped.image = copyToMemory(stepped.image);
      } catch (error) {
        // If the image is in memory, an error of a step cannot be the fault of the file.
        throw sequential ? error : encoderFailed(error);
      }
    });
  }
  return stepped;
}

/** Flattens transparency that the format cannot hold, and makes an icon square. */
function fitFormat(
  context: WorkerContext,
  { output, params: { background } }: ImageEncoding,
  image: DecodedImage,
): DecodedImage {
  const { alpha, icon } = OUTPUTS[output];
  const mustPaint = !alpha && hasAlpha(image.frames[0]);
  const painted = mustPaint ? mapFrames(image, (frame) => flatten(frame, { background })) : image;
  if (!icon) return painted;
  return mapFrames(painted, (frame) => drawIcon(frame, { ...context, transparent: true, background }));
}

/** Whether any pixel is transparent, or partly. For an image that comes row by row, whether one could be. */
const hasAlphaToLose = ({ frames }: DecodedImage, sequential: boolean, loss: AlphaLoss): boolean =>
  frames.some((frame) => {
    if (!hasAlpha(frame) || sequential) return hasAlpha(frame);
    const alpha = frame.extractBand(frame.bands - 1);
    const opaque = sampleMax(frame);
    if (loss === 'any') return alpha.min() < opaque;
    const counts = alpha.histFind().writeToMemory() as Uint32Array;
    return counts.subarray(1, opaque).some((count) => count > 0);
  });

/**
 * Whether the file already has the format, orientation and frames that a request without changed pixels would produce.
 */
export function isStoredAs(output: OutputFormat, header: Header, animation: boolean): boolean {
  return (
    output === header.format &&
    header.orientation === 1 &&
    header.pages === (animation ? header.frames : 1) &&
    header.animated === animation
  );
}
