/** Runs the pipeline of a job on one of its images, in the background lane. */
import { FORMATS } from '../../codecs/formats/registry.ts';
import { outputName } from '../../engine/pipeline/output-name.ts';
import { parsePipeline } from '../../engine/pipeline/parse.ts';
import type { OutputsResult, StepsReport } from '../../engine/pipeline/record.ts';
import { FREE } from '../account/credits.ts';
import { executeOutputs, executePipeline, type PipelineRun } from '../pipelines/execute.ts';
import { contentOf } from '../pipelines/stored-content.ts';
import { describeSteps } from '../results/step-report.ts';
import { ZIP_FORMAT, ZIP_OUTCOME, ZIP_TYPE, zipName } from '../results/zip.ts';
import type { ExecutedItem, ExecuteItem, ItemTask } from './item.ts';
import type { JobServices } from './services.ts';

export function createExecuteItem(services: Pick<JobServices, 'engine' | 'ledger' | 'plans' | 'now'>): ExecuteItem {
  return async ({ caller, job, image, watermark, index, signal, onAdmitted, onStart }) => {
    const { outputName: pattern, steps, outputs } = parsePipeline({ output_name: job.outputName, ...contentOf(job) });
    const work = { caller, image, watermark, steps, lane: 'background', signal, onAdmitted, onStart } as const;
    const naming = { sourceName: image.filename, index, time: services.now() };
    if (outputs) {
      const params = { outputs, naming: { pattern, ...naming }, isPacked: true };
      const run = await executeOutputs(services, work, params);
      return executed(caller, run, run.result.data!, {
        filename: zipName(image.filename),
        ...{ content_type: ZIP_TYPE, format: ZIP_FORMAT, width: null, height: null, outcome: ZIP_OUTCOME },
      });
    }
    const run = await executePipeline(services, work);
    const { data, format, extension, width, height, outcome } = run.result;
    return executed(caller, run, data, {
      // The size is known, so every placeholder has a value.
      filename: outputName(pattern, { ...naming, format, extension, width, height })!,
      content_type: FORMATS[format].contentTypes[0],
      ...{ format, width, height, outcome },
    });
  };
}

type Described = ExecutedItem['description'];

function executed(
  { key }: ItemTask['caller'],
  { result, durationMs, cost, credit }: PipelineRun<StepsReport & Pick<OutputsResult, 'warnings' | 'source'>>,
  data: ArrayBuffer,
  description: Omit<Described, 'warnings' | 'duration_ms' | 'steps'>,
): ExecutedItem {
  const { warnings, source, steps } = result;
  return {
    data,
    description: { ...description, warnings, duration_ms: Math.round(durationMs), steps: describeSteps(steps) },
    originalBytes: source.bytes,
    cost: key.mode === 'test' ? FREE : cost,
    charge: credit.charge,
    release: credit.release,
  };
}
