/**
 * Runs `pipeline` and `pipeline-plan` in the worker: decides, decodes once, runs one step after another, encodes once.
 */
import { hasAlpha } from '../../codecs/colour.ts';
import { OUTPUTS } from '../../codecs/formats/registry.ts';
import { readMetadata } from '../../codecs/metadata/index.ts';
import { copyToMemory, type DecodedImage, decodedBytes, mapFrames } from '../../codecs/picture.ts';
import { decode, type OpenedImage } from '../../codecs/source.ts';
import type { ModelPurpose } from '../../models/catalogue.ts';
import type { WorkerContext } from '../context.ts';
import { dropsMetadata } from '../operations/compress/metadata.ts';
import { recompress } from '../operations/compress/recompress.ts';
import { isSeeThrough, isStoredAs } from '../operations/compress/steps.ts';
import { writeResult } from '../operations/compress/write.ts';
import { editAnimation, editFrames } from '../operations/gif/run.ts';
import { magnification, photoArea } from '../operations/id-photo/area.ts';
import { resolvePhoto } from '../operations/id-photo/photo.ts';
import { makePhoto } from '../operations/id-photo/run.ts';
import { writePhoto } from '../operations/id-photo/write.ts';
import { encoderFailed, retryTruncated } from '../operations/retry-truncated.ts';
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { flatten } from '../steps/canvas.ts';
import { cropArea } from '../steps/crop.ts';
import { icon } from '../steps/icon.ts';
import type { TaskInput } from '../task.ts';
import { applyStep, isPixelStep } from './apply.ts';
import { describePlan } from './describe.ts';
import type { PipelineEncoding } from './encoding.ts';
import { inStep } from './errors.ts';
import { runsModel } from './model-steps.ts';
import { type ExecutionPlan, planPipeline } from './plan.ts';
import type { DecidedStep, PipelinePlanResult, PipelineResult, Step, StepReport } from './record.ts';
import { isEncoding, readsTwice } from './step-traits.ts';

type PipelineTask = TaskInput<'pipeline'>;

/** @throws Failure of the header and of the steps; those of a step name it */
export async function runPipelinePlan(
  context: WorkerContext,
  { image, params }: PipelineTask,
): Promise<PipelinePlanResult> {
  const course = await planPipeline(context, image, params);
  const drawing = await drawingOf(context, course, performance.now());
  return { plan: describePlan(context, course, params.steps, drawing), data: image.data };
}

/** @throws Failure as for `runPipelinePlan`, and of decoding and the steps' operations */
export function runPipeline(context: WorkerContext, input: PipelineTask): Promise<PipelineResult> {
  return retryTruncated(context.vips, input.image, (tolerant) => run(context, input, tolerant));
}

async function run(
  context: WorkerContext,
  { image, watermark, params }: PipelineTask,
  tolerant: boolean,
): Promise<PipelineResult> {
  const clock = new StepClock();
  const course = await planPipeline(context, image, params);
  // Before decoding, because without a model the task fails.
  for (const { step, index } of modelSteps(course))
    await inStep(step, index, () => context.models.open(purposeOf(step)));
  const job: Job = { context, course, image, logo: watermark, tolerant, clock };
  const { encoding, steps } = course;
  const result =
    encoding.kind === 'picture'
      ? await picture(job, encoding)
      : encoding.kind === 'photo'
        ? await photo(job, encoding)
        : await animation(job, encoding);
  return { ...result, steps: clock.reports(steps), ranModel: modelSteps(course).length > 0 };
}

const modelSteps = ({ steps }: ExecutionPlan) => steps.filter(({ step, reason }) => reason === null && runsModel(step));

function purposeOf({ op }: Step): ModelPurpose {
  if (op === 'upscale') return 'upscale';
  return op === 'blur_faces' ? 'faces' : 'background';
}

/** The common input of all ways to write a result. */
interface Job {
  context: WorkerContext;
  course: ExecutionPlan;
  image: SourceFile;
  logo: SourceFile | undefined;
  tolerant: boolean;
  clock: StepClock;
}

/** Measures the duration of each step. */
class StepClock {
  readonly started = performance.now();
  readonly #durations = new Map<number, number>();

  async time<R>(step: DecidedStep, work: () => R | Promise<R>): Promise<R> {
    const from = performance.now();
    const result = await inStep(step.step, step.index, work);
    this.#durations.set(step.index, performance.now() - from);
    return result;
  }

  reports(steps: readonly DecidedStep[]): StepReport[] {
    return steps.map(({ index, step, reason, after }) => ({
      index,
      op: step.op,
      reason,
      ...after,
      durationMs: this.#durations.get(index) ?? 0,
    }));
  }
}

interface StepsResult {
  opened: OpenedImage;
  decodedAt: number;
  picture: DecodedImage;
  warnings: Warning[];
}

/** @param ready an image that needs no decoding */
async function decodeSource(
  { context, course: { source, decoding }, tolerant }: Job,
  ready?: OpenedImage,
): Promise<StepsResult> {
  const opened = ready ?? (await decode(context.vips, source, { ...decoding, tolerant }));
  return { opened, decodedAt: performance.now(), picture: opened, warnings: [] };
}

/**
 * While less than this is held, each step is computed at once, so that its measured time is its own; images are freed
 * when the task ends. Larger ones are computed when a step reads them twice, and at the end.
 */
const MAX_HELD_BYTES = 256 * 2 ** 20;

async function applySteps(job: Job, decoded: StepsResult): Promise<StepsResult> {
  const { context, course, logo, clock } = job;
  const { sequential } = course.decoding;
  const stepped = { ...decoded, warnings: [...decoded.warnings] };
  let held = sequential ? 0 : decodedBytes(decoded.picture);
  let inMemory = !sequential;
  for (const decided of course.steps) {
    const { step, reason, before } = decided;
    if (reason !== null || !isPixelStep(step)) continue;
    await clock.time(decided, async () => {
      try {
        const ready = !inMemory && readsTwice(step) ? copyToMemory(stepped.picture) : stepped.picture;
        const applied = await applyStep(ready, step, { context, before, logo });
        held += decodedBytes(applied.picture);
        inMemory = !sequential && held <= MAX_HELD_BYTES;
        stepped.picture = inMemory ? copyToMemory(applied.picture) : applied.picture;
        stepped.warnings.push(...applied.warnings);
      } catch (error) {
        // If the image is in memory, an error of a step cannot be the fault of the file.
        throw sequential ? error : encoderFailed(error);
      }
    });
  }
  return stepped;
}

const isDone = ({ reason }: DecidedStep) => reason === null;
const changesPixels = ({ steps }: ExecutionPlan) =>
  steps.some(
    (decided) =>
      isDone(decided) && (decided.step.op === 'gif' || (isPixelStep(decided.step) && !isResizeToSame(decided))),
  );

/** A resize may only set the resolution. */
function isResizeToSame({ step, before, after }: DecidedStep): boolean {
  return step.op === 'resize' && before.width === after.width && before.height === after.height;
}

/** The result for an SVG that stays an SVG; undefined if it is rasterised. */
async function drawingOf(
  context: WorkerContext,
  { file, stored, encoding }: ExecutionPlan,
  started: number,
): Promise<ImageResult | undefined> {
  if (encoding.kind !== 'picture' || !encoding.staysDrawing) return undefined;
  const { compressDrawing } = await import('../operations/compress/drawing/run.ts');
  return await compressDrawing(context, { bytes: file, source: stored, params: encoding.params, started });
}

async function picture(job: Job, encoding: Extract<PipelineEncoding, { kind: 'picture' }>): Promise<ImageResult> {
  const { context, course, tolerant, clock } = job;
  const { source, decoding, file, stored, edit } = course;
  const chosen = course.steps.find((decided) => isDone(decided) && isEncoding(decided.step));
  const compressed = () => drawingOf(context, course, clock.started);
  const drawing = tolerant ? undefined : await (chosen ? clock.time(chosen, compressed) : compressed());
  if (drawing) return drawing;
  const { output, params: asked, resolution } = encoding;
  const animation = decoding.animation && OUTPUTS[output].animation;
  const isStepped = changesPixels(course);
  const isChanged = isStepped || !isStoredAs(output, source.header, animation);
  const { params, recompressed } = await recompress(context, {
    ...{ bytes: file, source, output, params: asked, request: { ...decoding, tolerant } },
    changesSamples: isStepped,
    writesSame: isChanged,
  });
  const decoded = edit ? await editFramesOf(job, encoding) : await decodeSource(job, recompressed?.opened);
  const covered = course.steps.findLast((decided) => isDone(decided) && decided.step.op === 'remove_background');
  const wasSeeThrough = !OUTPUTS[output].alpha && !covered && isSeeThrough(decoded.picture, decoding);
  const stepped = await applySteps(job, decoded);
  const seeThrough = wasSeeThrough || (!OUTPUTS[output].alpha && covered && hasAlpha(stepped.picture.frames[0]));
  const write = () =>
    writeResult(context, {
      bytes: file,
      stored,
      source,
      opened: decoded.opened,
      animation,
      sequential: recompressed !== undefined || (decoding.sequential && !edit),
      recompressed: recompressed?.file,
      picture: flattenFor(context, encoding, stepped.picture),
      output,
      params,
      resolution,
      unchanged: !tolerant && !decoded.opened.converted && !seeThrough && !isChanged,
      warnings: [...stepped.warnings, ...(seeThrough ? (['alpha_flattened'] as const) : [])],
      started: clock.started,
      decodedAt: decoded.decodedAt,
    });
  return chosen ? await clock.time(chosen, write) : await write();
}

/** The frames that step gif makes; only the first if the result is a still image. */
async function editFramesOf(job: Job, { output }: { output: keyof typeof OUTPUTS }): Promise<StepsResult> {
  const { course, tolerant, clock } = job;
  const decided = course.steps.find(({ step }) => step.op === 'gif')!;
  const { step } = decided;
  const plan = course.edit!;
  const shown = OUTPUTS[output].animation ? plan.shown : plan.shown.slice(0, 1);
  const { opened, picture } = await clock.time(decided, () =>
    editFrames(course.source, { ...plan, shown }, (step as Extract<Step, { op: 'gif' }>).params, tolerant),
  );
  return { opened, picture, decodedAt: performance.now(), warnings: [] };
}

/** Flattens transparency that the format cannot hold, and makes an icon square. */
function flattenFor(
  context: WorkerContext,
  { output, params: { background } }: Extract<PipelineEncoding, { kind: 'picture' }>,
  picture: DecodedImage,
): DecodedImage {
  const { alpha, icon: isIcon } = OUTPUTS[output];
  const painted = mapFrames(picture, (frame) => (!alpha && hasAlpha(frame) ? flatten(frame, { background }) : frame));
  if (!isIcon) return painted;
  return mapFrames(painted, (frame) => icon(frame, { ...context, transparent: true, background }));
}

async function photo(job: Job, { params }: Extract<PipelineEncoding, { kind: 'photo' }>): Promise<ImageResult> {
  const { context, course, image, tolerant, clock } = job;
  const decided = course.steps.find((decided) => isDone(decided) && decided.step.op === 'id_photo')!;
  const photo = resolvePhoto(params);
  if (!changesPixels(course)) {
    // Without other pixel steps, it is decoded as the photo needs it.
    const make = () => makePhoto(context, { image, params: { ...params, page: 1 } }, photo, tolerant);
    return withMetadataWarning(job, await clock.time(decided, make));
  }
  const { picture, opened, warnings, decodedAt } = await applySteps(job, await decodeSource(job));
  const { before } = decided;
  const crop = params.crop === undefined ? undefined : cropArea(before, params.crop);
  const write = () =>
    writePhoto(context, {
      photo,
      crop,
      removeBackground: params.remove_background,
      enlarged: magnification(photoArea(before, photo.size, crop), photo.size),
      stored: course.stored,
      bytes: course.file.length,
      opened,
      picture,
      warnings,
      started: clock.started,
      decodedAt,
    });
  return withMetadataWarning(job, await clock.time(decided, write));
}

async function animation(job: Job, { params }: Extract<PipelineEncoding, { kind: 'animation' }>): Promise<ImageResult> {
  const { context, course, image, tolerant, clock } = job;
  const decided = course.steps.find(({ step }) => step.op === 'gif')!;
  const edit = () => editAnimation(context, { image, params: { ...params, page: 1 } }, tolerant);
  const { frames, animationMs, sourceFrames, sourceAnimationMs, ...result } = await clock.time(decided, edit);
  return withMetadataWarning(job, result);
}

/** ID photos and editFramesOf animations have no metadata, even if a step asks to keep it. */
function withMetadataWarning({ course }: Job, result: ImageResult): ImageResult {
  const named = course.steps.findLast((decided) => isDone(decided) && decided.step.op === 'metadata')?.step;
  if (named?.op !== 'metadata') return result;
  const carried = readMetadata(course.facts.format, course.file);
  const converted = result.warnings.includes('color_converted');
  if (!dropsMetadata(carried, {}, named.params, converted)) return result;
  return { ...result, warnings: [...result.warnings, 'metadata_dropped'] };
}
