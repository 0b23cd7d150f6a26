/** `imagecrew pipeline`: runs the steps of a JSON file or a template on each image. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { expected, Failure } from '../../base/failure.ts';
import { bytesText } from '../../base/size-text.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { checkLogo } from '../../engine/pipeline/check.ts';
import { mayRunModel } from '../../engine/pipeline/model-steps.ts';
import { outputName } from '../../engine/pipeline/output-name.ts';
import { TEMPLATES } from '../../engine/pipeline/templates.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { timedTask } from '../../server/images/timed-task.ts';
import { planRunsModel } from '../../server/pipelines/execute.ts';
import { parsePipelineText } from '../../server/pipelines/parse.ts';
import { planRecord } from '../../server/pipelines/records.ts';
import type { ResolvedPipeline } from '../../server/pipelines/resolve.ts';
import { TEMPLATES_BY_NAME } from '../../server/pipelines/templates.ts';
import { type ImageCommand, imageOutput, type Prediction } from './operations.ts';
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
  description: `Each image is decoded once and encoded once. Templates: ${TEMPLATES.map(({ name, description }) => `${name} (${description})`).join(' ')}`,
  params: pipelineParams,
  auxiliaryImages: { watermark_image: 'A logo for watermark steps with `logo`.' },
  answers: 'files',
  canReplace: false,
  examples: ['photos -o web --preset web', 'photo.jpg -o photo.webp --steps shop.json'],
  async prepare(given, auxiliaryImages, { upscale_pixels: maxPixels }) {
    const pipeline = await resolve(given as Params);
    const { steps, name, version } = pipeline;
    checkLogo(steps, auxiliaryImages().watermark_image !== undefined);
    const params = { steps, maxPixels };
    const input = (image: SourceFile) => {
      const { watermark_image: watermark } = auxiliaryImages();
      return { image, ...(watermark === undefined ? {} : { watermark }), params };
    };
    /** Finds out whether a model runs. For steps with conditions this depends on the image. */
    const lookAhead = async (engine: Engine, image: SourceFile, options: RunOptions) => {
      const models = mayRunModel(steps);
      if (models !== 'by_condition') return { source: image, model: models === 'always' };
      const { plan, data } = await engine.run('pipeline-plan', { image, params }, options);
      return { source: { ...image, data }, model: planRunsModel(plan) };
    };
    const nameOf = (index: number, result: Omit<Parameters<typeof outputName>[1], 'index' | 'time'>) =>
      pipeline.outputName === null
        ? targetFilename(result.sourceName, result)
        : outputName(pipeline.outputName, { ...result, index, time: Date.now() });
    return {
      format: undefined,
      model: mayRunModel(steps) === 'always',
      async run(engine, image, index, options) {
        const { source, model } = await lookAhead(engine, image, options);
        const given = { ...input(source), mayRunModel: model };
        const { result, durationMs } = await timedTask(engine, 'pipeline', given, options);
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
        const { quota: _quota, ...record } = planRecord(plan, { name, version }, filename, { requests: 0, ai: 0 });
        const done = plan.steps.filter(({ reason }) => reason === null).map(({ op }) => op);
        const size = width === null || height === null ? '' : `${width} x ${height}, `;
        const steps = done.length > 0 ? done.join(', ') : 'nothing';
        return {
          record,
          filename,
          format,
          text: `  ${steps}; ${format}, ${size}about ${bytesText(predicted.bytes)}\n`,
        };
      },
    };
  },
};
