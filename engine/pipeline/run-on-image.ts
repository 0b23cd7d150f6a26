/** Runs a pipeline for callers that have no account to charge. Main-thread safe. */
import type { Engine, RunOptions } from '../engine.ts';
import type { TaskInput } from '../task.ts';
import { type TimedTask, timedTask } from '../timed-task.ts';
import { mayRunModel, planRunsModel } from './model-steps.ts';

type PipelineTask = 'pipeline' | 'pipeline-outputs';

/** What finds out what the steps would do. */
const PLANS = { pipeline: 'pipeline-plan', 'pipeline-outputs': 'pipeline-outputs-plan' } as const;

/**
 * Runs a pipeline on one image. Whether a model runs decides the workers for the task; for steps with conditions this
 * depends on the image, so the pipeline is planned first.
 */
export async function runOnImage<N extends PipelineTask>(
  engine: Engine,
  task: N,
  input: TaskInput<PipelineTask> & TaskInput<N>,
  options: RunOptions,
): Promise<TimedTask<N>> {
  const { image, params, watermark } = input;
  const models = mayRunModel(params.steps);
  if (models !== 'by_condition')
    return await timedTask(engine, task, { ...input, mayRunModel: models === 'always' }, options);
  // Planning takes the buffer of the logo, and gives back only that of the image.
  const logo = watermark && { watermark: { ...watermark, data: watermark.data.slice(0) } };
  const planning = { ...input, ...logo } as TaskInput<(typeof PLANS)[PipelineTask]>;
  const { plan, data } = await engine.run(PLANS[task] as (typeof PLANS)[PipelineTask], planning as never, options);
  const planned = { ...input, image: { ...image, data }, mayRunModel: planRunsModel(plan) };
  return await timedTask(engine, task, planned, options);
}
