/** Runs a pipeline for the library. */
import { expected, Failure } from '../base/failure.ts';
import type { Engine, RunOptions } from '../engine/engine.ts';
import { checkLogo } from '../engine/pipeline/check.ts';
import { MARKUP_FILE } from '../engine/pipeline/output-name.ts';
import { type Pipeline, parsePipeline } from '../engine/pipeline/parse.ts';
import { runOnImage } from '../engine/pipeline/run-on-image.ts';
import { TEMPLATES } from '../engine/pipeline/templates.ts';
import type { SourceFile } from '../engine/source-file.ts';
import { imageOf, zipOf } from './results.ts';
import type { PipelineImage, ZipFile } from './types.ts';

export interface PipelineTask {
  image: SourceFile;
  watermark?: SourceFile;
  maxPixels: number;
  options: RunOptions;
}

/**
 * @param given a pipeline, or the name of a template
 * @throws Failure `invalid_pipeline` or `preset_not_found`; those of its steps
 */
export async function runPipeline(
  engine: Engine,
  task: PipelineTask,
  given: unknown,
): Promise<PipelineImage | ZipFile> {
  const { image, maxPixels, options } = task;
  const { steps, outputs, outputName } = pipelineOf(given);
  const watermark = task.watermark === undefined ? {} : { watermark: task.watermark };
  checkLogo(steps, task.watermark !== undefined);
  if (outputs === null) {
    const input = { image, ...watermark, params: { steps, maxPixels } };
    const { result, durationMs } = await runOnImage(engine, 'pipeline', input, options);
    return { ...imageOf(result, durationMs, {}), steps: result.steps };
  }
  const naming = { pattern: outputName, sourceName: image.filename, index: 1, time: Date.now() };
  const input = { image, ...watermark, params: { steps, maxPixels, outputs, isPacked: true, naming } };
  const { result, durationMs } = await runOnImage(engine, 'pipeline-outputs', input, options);
  const files = [...result.outputs.map(({ filename }) => filename), MARKUP_FILE];
  return zipOf({ data: result.data!, files, warnings: result.warnings }, durationMs);
}

function pipelineOf(given: unknown): Pipeline {
  if (typeof given !== 'string') return parsePipeline(given);
  const template = TEMPLATES.find(({ name }) => name === given);
  if (template) return parsePipeline(template);
  const names = TEMPLATES.map(({ name }) => name).join(', ');
  throw new Failure('preset_not_found', expected(`one of ${names}`, 'pipeline', given), { param: 'pipeline' });
}
