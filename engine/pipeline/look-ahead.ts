import type { SourceFile } from '../source-file.ts';
import { mayRunModel, planRunsModel } from './model-steps.ts';
import type { PipelinePlanResult, PlanSummary, Step } from './record.ts';

/**
 * Finds out whether a model runs, which decides the workers for the task. For steps with conditions this depends on the
 * image.
 * @param plan plans the pipeline for the image
 */
export async function lookAhead(
  steps: readonly Step[],
  image: SourceFile,
  plan: (image: SourceFile) => Promise<PipelinePlanResult<PlanSummary>>,
): Promise<{ source: SourceFile; mayRunModel: boolean }> {
  const models = mayRunModel(steps);
  if (models !== 'by_condition') return { source: image, mayRunModel: models === 'always' };
  const { plan: planned, data } = await plan(image);
  return { source: { ...image, data }, mayRunModel: planRunsModel(planned) };
}
