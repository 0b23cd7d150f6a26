/** Which steps of a pipeline run a model. Main-thread safe. */
import { modelsOf } from '../steps/step.ts';
import type { PlanSummary, Step } from './record.ts';
import { bind, isEncoding } from './step.ts';

const runsModel = (step: Step): boolean => modelsOf(bind(step)).length > 0;

/** Whether a pipeline runs a model: for every image, for none, or depending on conditions. */
export function mayRunModel(steps: readonly Step[]): 'always' | 'never' | 'by_condition' {
  if (!steps.some(runsModel)) return 'never';
  // An earlier encoding step may be used instead.
  const isCertain = (step: Step, at: number) =>
    step.when === undefined && !(isEncoding(step) && steps.slice(0, at).some(isEncoding));
  return steps.some((step, at) => runsModel(step) && isCertain(step, at)) ? 'always' : 'by_condition';
}

/** Whether any step would run a model. */
export const planRunsModel = ({ steps }: Pick<PlanSummary, 'steps'>): boolean =>
  steps.some(({ model, reason }) => model && reason === null);
