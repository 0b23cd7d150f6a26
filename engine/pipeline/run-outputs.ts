/**
 * Runs `pipeline-outputs` and `pipeline-outputs-plan` in the worker: decodes once, runs the steps once, then scales and
 * encodes each result.
 */
import { copyToMemory, type DecodedImage, withFrame } from '../../codecs/decoded-image.ts';
import { withFreedHandles } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { retryTruncated, withDecodeFailures } from '../operations/retry-truncated.ts';
import { packFiles } from '../operations/zip.ts';
import type { ImageResult } from '../result.ts';
import { isDone } from '../steps/step.ts';
import type { TaskInput } from '../task.ts';
import { describeOutputsPlan } from './describe.ts';
import {
  type AppliedSteps,
  applyAll,
  applySteps,
  changesImage,
  decodeSource,
  type ImageEncoding,
  recompressSource,
  type StepsJob,
  writeImage,
} from './make-image.ts';
import { srcsetMarkup } from './markup.ts';
import { MEASURES_WITHOUT_MODELS, type MeasurementOptions } from './measurement.ts';
import { MARKUP_FILE, nameOfOutput } from './output-name.ts';
import { type OutputsExecutionPlan, planOf, planOutputs } from './plan-outputs.ts';
import type { DecidedStep, OutputFile, OutputsPlan, OutputsResult, PipelinePlanResult } from './record.ts';
import { isEncoding } from './step.ts';
import { modelSteps, openModels, StepClock } from './step-clock.ts';

type OutputsTask = TaskInput<'pipeline-outputs'>;

/** @throws Failure of the header and of the steps; those of a step name it */
export async function runOutputsPlan(
  context: WorkerContext,
  { image, watermark, params }: OutputsTask,
): Promise<PipelinePlanResult<OutputsPlan>> {
  const options = { ...MEASURES_WITHOUT_MODELS, logo: watermark };
  const plan = await withDecodeFailures(image, () => planOutputs(context, image, params, options));
  return { plan: await describeOutputsPlan(context, plan, params.steps), data: image.data };
}

/** @throws Failure as for `runOutputsPlan`, and of decoding and the steps' operations */
export const runOutputs = (context: WorkerContext, input: OutputsTask): Promise<OutputsResult> =>
  retryTruncated(context.vips, input.image, (tolerant) => run(context, input, tolerant));

async function run(context: WorkerContext, input: OutputsTask, tolerant: boolean): Promise<OutputsResult> {
  const { image, watermark, params } = input;
  const clock = new StepClock();
  const options: MeasurementOptions = {
    ...{ logo: watermark, tolerant, runsModels: true },
    report: (step, work) => clock.time(step as DecidedStep, work),
  };
  const plan = await planOutputs(context, image, params, options);
  const { steps, encodings } = plan;
  await openModels(context, steps);
  const job: StepsJob = { ...options, context, plan, started: clock.started };
  const applied = await applyAll(job, await decodeSource(job), plan.decoding.sequential, encodings);
  const shared = applied.inMemory ? applied : heldInMemory(applied, applied.image);
  const processedAt = performance.now();
  const write = () => writeAll(job, plan, shared);
  const encodedBy = steps.find((decided) => isDone(decided) && isEncoding(decided.step));
  const results = await (encodedBy ? clock.time(encodedBy, write) : write());

  const files = results.map((result) => ({
    ...result,
    // The size is known, so every placeholder has a value.
    filename: nameOfOutput(params.naming, result)!,
    bytes: result.data.byteLength,
  }));
  const markup = srcsetMarkup(files);
  const { source, fingerprint } = results[0]!;
  return {
    outputs: files.map((file) => outputFile(file, params.isPacked)),
    markup,
    warnings: [...new Set([...plan.warnings, ...results.flatMap(({ warnings }) => warnings)])],
    ...(params.isPacked ? pack(files, markup) : {}),
    ...{ source, steps: clock.reports(steps), ranModel: modelSteps(steps).length > 0 },
    ...(fingerprint === undefined ? {} : { fingerprint }),
    phases: {
      decode: applied.decodedAt - clock.started,
      process: processedAt - applied.decodedAt,
      encode: performance.now() - processedAt,
    },
  };
}

type NamedFile = ImageResult & Pick<OutputFile, 'filename' | 'bytes'>;

function outputFile({ data, source, phases, fingerprint, ...file }: NamedFile, isPacked: boolean): OutputFile {
  return isPacked ? file : { ...file, data };
}

const pack = (files: readonly NamedFile[], markup: string): { data: ArrayBuffer } => {
  const { data } = packFiles([
    { name: MARKUP_FILE, bytes: new TextEncoder().encode(markup), isCompressible: true },
    ...files.map(({ filename, data }) => ({ name: filename, bytes: new Uint8Array(data), isCompressible: false })),
  ]);
  return { data };
};

/** Scales to each width, and encodes in each format. Narrow results come first. */
async function writeAll(job: StepsJob, plan: OutputsExecutionPlan, shared: AppliedSteps): Promise<ImageResult[]> {
  const { vips } = job.context;
  const results: ImageResult[] = [];
  for (const resize of plan.resizes) {
    const ofWidth = await withFreedHandles(vips, async () => {
      const written: ImageResult[] = [];
      const sized = await resizeShared(job, resize, shared);
      for (const encoding of plan.encodings) {
        // The perceptual hash is that of the source.
        const isFirst = results.length === 0 && written.length === 0;
        const own = {
          ...encoding,
          params: { ...encoding.params, fingerprint: isFirst && encoding.params.fingerprint },
        };
        written.push(
          await withFreedHandles(vips, () => writeOne({ ...job, plan: planOf(plan, resize, own) }, sized, own)),
        );
      }
      return written;
    });
    results.push(...ofWidth);
  }
  return results;
}

async function resizeShared(job: StepsJob, resize: DecidedStep, shared: AppliedSteps): Promise<AppliedSteps> {
  const resizing = { ...job, plan: { ...job.plan, steps: [resize] }, report: undefined };
  const { image } = await applySteps(resizing, shared, false);
  return heldInMemory(shared, image);
}

const heldInMemory = (applied: AppliedSteps, image: DecodedImage): AppliedSteps => ({
  ...applied,
  image: copyToMemory(image),
  inMemory: true,
});

async function writeOne(job: StepsJob, sized: AppliedSteps, encoding: ImageEncoding): Promise<ImageResult> {
  const isChanged = changesImage(job, encoding);
  const { params, recompressed } = await recompressSource(job, encoding, isChanged);
  const image = job.plan.decoding.animation ? sized.image : stillOf(sized.image);
  return await writeImage(
    job,
    { ...sized, image },
    { ...encoding, params, recompressed: recompressed?.file, isChanged },
  );
}

/** The first frame. */
const stillOf = (image: DecodedImage): DecodedImage => ({ ...withFrame(image, image.frames[0]), timing: null });
