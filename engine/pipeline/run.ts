/**
 * Runs `pipeline` and `pipeline-plan` in the worker: decides, decodes once, runs one step after another, encodes once.
 */
import { trackHandles } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { dropsMetadata } from '../operations/compress/metadata.ts';
import { compressUnrasterised } from '../operations/compress/unrasterised.ts';
import { onEveryPage } from '../operations/every-page.ts';
import { retryTruncated, withDecodeFailures } from '../operations/retry-truncated.ts';
import type { ImageResult } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { encodingParamsOf } from '../steps/encoding.ts';
import { STEPS } from '../steps/registry.ts';
import { changesPixels, editsFrames, type FrameEdit, isDone } from '../steps/step.ts';
import type { TaskInput } from '../task.ts';
import { describePlan } from './describe.ts';
import type { OwnEncoding, PipelineEncoding } from './encoding.ts';
import { applySteps, type Decoded, decodeSource, makeImage, type StepsJob } from './make-image.ts';
import { MEASURES_WITHOUT_MODELS } from './measurement.ts';
import { type ExecutionPlan, planPipeline, plansPages } from './plan.ts';
import type { DecidedStep, PipelinePlanResult, PipelineResult, Step, StepReport } from './record.ts';
import { isEncoding } from './step.ts';
import { modelSteps, openModels, StepClock } from './step-clock.ts';

type PipelineTask = TaskInput<'pipeline'>;

/** @throws Failure of the header and of the steps; those of a step name it */
export async function runPipelinePlan(
  context: WorkerContext,
  { image, watermark, params }: PipelineTask,
): Promise<PipelinePlanResult> {
  const options = { ...MEASURES_WITHOUT_MODELS, logo: watermark };
  const plan = await withDecodeFailures(image, () => planPipeline(context, image, params, options));
  const drawing = await unrasterisedOf(context, plan, performance.now());
  return { plan: await describePlan(context, plan, params.steps, drawing), data: image.data };
}

/** @throws Failure as for `runPipelinePlan`, and of decoding and the steps' operations */
export const runPipeline = (context: WorkerContext, input: PipelineTask): Promise<PipelineResult> =>
  retryTruncated(context.vips, input.image, (tolerant) => run(context, input, tolerant));

async function run(
  context: WorkerContext,
  input: PipelineTask,
  tolerant: boolean,
  page?: number,
): Promise<PipelineResult> {
  const { image, watermark, params } = input;
  const clock = new StepClock();
  const report: StepsJob['report'] = (step, work) => clock.time(step as DecidedStep, work);
  const handles = trackHandles(context.vips);
  const options = { logo: watermark, tolerant, report, runsModels: true };
  const plan = await planPipeline(context, image, params, options, page);
  if (plansPages(plan)) {
    // Each page is measured on its own.
    handles.free();
    return runOnPages(context, input, plan, tolerant);
  }
  await openModels(context, plan.steps);
  const job: Job = { context, plan, image, logo: watermark, tolerant, clock, started: clock.started, report };
  const { encoding, steps } = plan;
  const result = encoding.kind === 'image' ? await encodedImage(job, encoding) : await ownFile(job, encoding);
  const warnings = [...plan.warnings, ...result.warnings];
  return { ...result, warnings, steps: clock.reports(steps), ranModel: modelSteps(steps).length > 0 };
}

async function runOnPages(
  context: WorkerContext,
  input: PipelineTask,
  { stored: { header }, encoding }: ExecutionPlan,
  tolerant: boolean,
): Promise<PipelineResult> {
  const { joined, results } = await onEveryPage(context, {
    ...{ image: input.image, header },
    ...(encoding.kind === 'image' ? { encoding: encoding.params } : {}),
    run: ({ image, page, encoding: ofPage }) => {
      const steps = input.params.steps.map((step) =>
        STEPS[step.op].encoding ? ({ ...step, params: { ...step.params, ...ofPage } } as Step) : step,
      );
      return run(context, { ...input, image, params: { ...input.params, steps } }, tolerant, page);
    },
  });
  return { ...joined, steps: stepsOfPages(results), ranModel: results.some(({ ranModel }) => ranModel) };
}

/** The reports of the first page, with the time of all pages. A step is done if it is on any page. */
function stepsOfPages(results: readonly PipelineResult[]): StepReport[] {
  return results[0]!.steps.map((report, at) => {
    const reports = results.map(({ steps }) => steps[at]!);
    return {
      ...(reports.find(({ reason }) => reason === null) ?? report),
      durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0),
    };
  });
}

/** The common input of all ways to write a result. */
interface Job extends StepsJob {
  plan: ExecutionPlan;
  image: SourceFile;
  clock: StepClock;
}

/** The result for a file that is not rasterised; undefined for others. */
async function unrasterisedOf(
  context: WorkerContext,
  { file, stored, encoding }: ExecutionPlan,
  started: number,
): Promise<ImageResult | undefined> {
  if (encoding.kind !== 'image' || !encoding.staysUnrasterised) return undefined;
  return await compressUnrasterised(context, { bytes: file, source: stored, params: encoding.params, started });
}

async function encodedImage(job: Job, encoding: Extract<PipelineEncoding, { kind: 'image' }>): Promise<ImageResult> {
  const { context, plan, tolerant, clock } = job;
  const encodedBy = plan.steps.find((decided) => isDone(decided) && isEncoding(decided.step));
  const compressed = () => unrasterisedOf(context, plan, clock.started);
  const drawing = tolerant ? undefined : await (encodedBy ? clock.time(encodedBy, compressed) : compressed());
  if (drawing) return drawing;
  const { edit } = plan;
  const frames = edit && (() => editFramesOf(job, edit));
  return await makeImage({ ...job, encoding, encodedBy, frames });
}

/** The frames that a step makes; only the first if the result is a still image. */
async function editFramesOf({ plan, tolerant, clock }: Job, edit: FrameEdit): Promise<Decoded> {
  const decided = plan.steps.find(editsFrames)!;
  const { opened, image } = await clock.time(decided, () => edit.make(tolerant, !plan.decoding.animation));
  return { opened, image, decodedAt: performance.now() };
}

/** The result of a step that writes its file itself. */
async function ownFile(job: Job, { writtenBy }: OwnEncoding): Promise<ImageResult> {
  const { context, plan, image, tolerant, clock } = job;
  const { stored, page, decoding, steps } = plan;
  const isEdited = steps.some((decided) => isDone(decided) && changesPixels(decided));
  const edited = isEdited ? await applySteps(job, await decodeSource(job), decoding.sequential) : undefined;
  const { definition, params, before } = writtenBy;
  const file = { context, image, stored, page, tolerant, started: clock.started, before, edited };
  return withMetadataWarning(job, await clock.time(writtenBy, () => definition.writeFile!(params, file)));
}

/** Files that a step writes itself have no metadata, even if a step asks to keep it. */
function withMetadataWarning({ plan }: Job, result: ImageResult): ImageResult {
  const asked = encodingParamsOf(undefined, plan.steps.filter(isDone));
  const converted = result.warnings.includes('color_converted');
  if (!dropsMetadata(plan.facts.stored, {}, asked, converted)) return result;
  return { ...result, warnings: [...result.warnings, 'metadata_dropped'] };
}
