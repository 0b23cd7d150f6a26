/** Runs the pipeline of a job on one of its images, in the background lane. */
import { FORMATS } from '../../codecs/formats/registry.ts';
import { outputName } from '../../engine/pipeline/output-name.ts';
import { FREE } from '../account/credits.ts';
import { executePipeline } from '../pipelines/execute.ts';
import { parsePipeline } from '../pipelines/parse.ts';
import { describeSteps } from '../results/step-report.ts';
import type { ExecuteItem } from './item.ts';
import type { JobServices } from './services.ts';

export function createExecuteItem(services: Pick<JobServices, 'engine' | 'ledger' | 'plans' | 'now'>): ExecuteItem {
  return async ({ caller, job, image, watermark, index, signal, onAdmitted, onStart }) => {
    const { outputName: pattern, steps } = parsePipeline({
      output_name: job.outputName,
      steps: JSON.parse(job.steps),
    });
    const work = { caller, image, watermark, steps, lane: 'background', signal, onAdmitted, onStart } as const;
    const { result, durationMs, cost, credit } = await executePipeline(services, work);
    const { data, format, extension, width, height, outcome, warnings, source } = result;
    const named = { sourceName: image.filename, format, extension, width, height, index, time: services.now() };
    return {
      data,
      description: {
        // The size is known, so every placeholder has a value.
        filename: outputName(pattern, named)!,
        content_type: FORMATS[format].contentTypes[0],
        format,
        width,
        height,
        outcome,
        warnings,
        duration_ms: Math.round(durationMs),
        steps: describeSteps(result.steps),
      },
      originalBytes: source.bytes,
      cost: caller.key.mode === 'test' ? FREE : cost,
      charge: credit.charge,
      release: credit.release,
    };
  };
}
