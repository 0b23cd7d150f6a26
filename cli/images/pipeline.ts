/** `imagecrew pipeline`: runs the steps of a JSON file or a template on each image. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { expected, Failure } from '../../base/failure.ts';
import { bytesText } from '../../base/size-text.ts';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { checkLogo, PIPELINE_IMAGES } from '../../engine/pipeline/check.ts';
import { mayRunModel } from '../../engine/pipeline/model-steps.ts';
import { type NamedResult, nameOfOutput, outputName } from '../../engine/pipeline/output-name.ts';
import type { Outputs } from '../../engine/pipeline/outputs.ts';
import { parsePipelineText } from '../../engine/pipeline/parse.ts';
import type { OutputsParams, PipelineParams, PlanSummary } from '../../engine/pipeline/record.ts';
import { runOnImage } from '../../engine/pipeline/run-on-image.ts';
import { TEMPLATES } from '../../engine/pipeline/templates.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { timedTask } from '../../engine/timed-task.ts';
import { FREE } from '../../server/account/credits.ts';
import { outputsPlanRecord, planRecord } from '../../server/pipelines/records.ts';
import type { ResolvedPipeline } from '../../server/pipelines/resolve.ts';
import { describeOutput, describeOutputs } from '../../server/pipelines/stored-outputs.ts';
import { TEMPLATES_BY_NAME } from '../../server/pipelines/templates.ts';
import { zipName } from '../../server/results/zip.ts';
import {
  archiveOutput,
  type ImageCommand,
  imageOutput,
  NO_ACCOUNT,
  type Prediction,
  type Work,
  withoutAccount,
} from './operations.ts';
import { targetFilename } from './targets.ts';

const [first, ...others] = TEMPLATES.map(({ name }) => name);

const pipelineParams = z.strictObject({
  filename: sourceParams.shape.filename,
  steps: described(z.string().min(1).optional(), 'JSON file with the pipeline: an object with its steps.', 'shop.json'),
  preset: described(z.enum([first!, ...others]).optional(), 'A template, in place of a file.', 'web'),
});
type Params = z.output<typeof pipelineParams>;

async function resolve({ steps, preset }: Params): Promise<ResolvedPipeline> {
  if (steps !== undefined && preset !== undefined)
    throw conflictingParameters('preset', 'Expected preset without steps but received both.');
  if (preset !== undefined) return { ...TEMPLATES_BY_NAME.get(preset)!, version: null };
  if (steps === undefined) throw new Failure('invalid_pipeline', expected('a file, or preset,', 'steps', undefined));
  const text = await readFile(steps, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const what = `a JSON file that can be read (${error.code})`;
    throw new Failure('invalid_pipeline', expected(what, 'steps', steps), { cause: error });
  });
  return { ...parsePipelineText(text), name: null, version: null };
}

export const PIPELINE: ImageCommand = {
  name: 'pipeline',
  summary: 'Run several steps on each image',
  description: `Each image is decoded once and encoded once. With outputs, all its results become one ZIP. Templates: ${TEMPLATES.map(({ name, description }) => `${name} (${description})`).join(' ')}`,
  params: pipelineParams,
  auxiliaryImages: PIPELINE_IMAGES,
  answers: 'files',
  canReplace: false,
  examples: ['photos -o web --preset web', 'photo.jpg -o photo.webp --steps shop.json'],
  async prepare(given, auxiliaryImages, { upscale_pixels: maxPixels }) {
    const pipeline = await resolve(given as Params);
    checkLogo(pipeline.steps, auxiliaryImages().watermark_image !== undefined);
    return pipeline.outputs
      ? outputsWork(pipeline, pipeline.outputs, auxiliaryImages, maxPixels)
      : imageWork(pipeline, auxiliaryImages, maxPixels);
  },
};

type LogoSource = Parameters<ImageCommand['prepare']>[1];

/** The input of a task, with a new copy of the logo. */
function inputOf<P extends PipelineParams>(image: SourceFile, params: P, auxiliaryImages: LogoSource) {
  const { watermark_image: watermark } = auxiliaryImages();
  return { image, ...(watermark === undefined ? {} : { watermark }), params };
}

const doneText = ({ steps }: PlanSummary): string => {
  const done = steps.filter(({ reason }) => reason === null).map(({ op }) => op);
  return done.length > 0 ? done.join(', ') : 'nothing';
};

/** A pipeline with one result. */
function imageWork(pipeline: ResolvedPipeline, auxiliaryImages: LogoSource, maxPixels: number): Work {
  const { steps, name, version, outputName: pattern } = pipeline;
  const params = { steps, maxPixels };
  const nameOf = (index: number, result: Omit<NamedResult, 'index' | 'time'>) =>
    pattern === null
      ? targetFilename(result.sourceName, result)
      : outputName(pattern, { ...result, index, time: Date.now() });
  return {
    format: undefined,
    model: mayRunModel(steps) === 'always',
    async run(engine, image, index, options) {
      const input = inputOf(image, params, auxiliaryImages);
      const { result, durationMs } = await runOnImage(engine, 'pipeline', input, options);
      const { format, extension, width, height } = result;
      return imageOutput(
        result,
        durationMs,
        {},
        {
          // The size of a result is always known, so the name is never null.
          filename: (sourceName) => nameOf(index, { sourceName, format, extension, width, height })!,
          pipeline: { name, version, steps: result.steps },
        },
      );
    },
    async plan(engine, image, index, options): Promise<Prediction> {
      const { filename: sourceName } = image;
      const { plan } = (await timedTask(engine, 'pipeline-plan', { image, params }, options)).result;
      const { format, extension, width, height, predicted } = plan.result;
      const filename = nameOf(index, { sourceName, format, extension, width, height });
      const { quota: _quota, ...record } = planRecord(plan, filename, { pipeline: { name, version }, quota: FREE });
      const size = width === null || height === null ? '' : `${width} x ${height}, `;
      const text = `  ${doneText(plan)}; ${format}, ${size}about ${bytesText(predicted.bytes)}\n`;
      return { record, filename, format, text };
    },
  };
}

/** A pipeline with several results, which become one ZIP for each image. */
function outputsWork(
  { steps, name, version, outputName: pattern }: ResolvedPipeline,
  outputs: Outputs,
  auxiliaryImages: LogoSource,
  maxPixels: number,
): Work {
  const paramsOf = ({ filename: sourceName }: SourceFile, index: number): OutputsParams => ({
    ...{ steps, maxPixels, outputs, isPacked: true },
    naming: { pattern, sourceName, index, time: Date.now() },
  });
  return {
    format: undefined,
    model: mayRunModel(steps) === 'always',
    async run(engine, image, index, options) {
      const params = paramsOf(image, index);
      const input = inputOf(image, params, auxiliaryImages);
      const { result, durationMs } = await runOnImage(engine, 'pipeline-outputs', input, options);
      const finished = { result, durationMs, ...NO_ACCOUNT, pipeline: { name, version, steps: result.steps } };
      return archiveOutput({ ...result, data: result.data! }, durationMs, {
        filename: (sourceName) => zipName(sourceName),
        describe: (filename) => ({
          filename,
          outputs: result.outputs.map(describeOutput),
          ...withoutAccount(describeOutputs(finished)),
        }),
      });
    },
    async plan(engine, image, index, options): Promise<Prediction> {
      const params = paramsOf(image, index);
      const { plan } = (await timedTask(engine, 'pipeline-outputs-plan', { image, params }, options)).result;
      const filename = zipName(image.filename);
      const names = plan.outputs.map((result) => nameOfOutput(params.naming, result));
      const facts = { pipeline: { name, version }, quota: FREE };
      const { quota: _quota, ...record } = outputsPlanRecord(plan, filename, names, facts);
      const size = bytesText(record.result.predicted_bytes);
      const text = `  ${doneText(plan)}; ${names.join(', ')}, together about ${size}\n`;
      return { record, filename, format: undefined, text };
    },
  };
}
