/** Which steps of a pipeline run a model. Main-thread safe. */
import { modelsOf } from '../steps/step.ts';
import type { PlanSummary, Step } from './record.ts';
import { bind, isEncoding } from './step.ts';

const runsModel = (step: Step): boolean => modelsOf(bind(step)).length > 0;

/** Whether a pipeline runs a model: for every image, for none, or depending on conditions. */
export function mayRunModel(steps: readonly Step[]): 'always' | 'never' | 'by_condition' {
  const modelSteps = steps.filter(runsModel);
  if (modelSteps.length === 0) return 'never';
  // An earlier encoding step may be used instead of id_photo.
  const certain = modelSteps.some(
    (step) => step.when === undefined && !(step.op === 'id_photo' && encodesBefore(steps)),
  );
  return certain ? 'always' : 'by_condition';
}

/** id_photo comes last, so every other encoding step comes before it. */
const encodesBefore = (steps: readonly Step[]): boolean =>
  steps.some((step) => isEncoding(step) && step.op !== 'id_photo');

/** Whether any step would run a model. */
export const planRunsModel = ({ steps }: Pick<PlanSummary, 'steps'>): boolean =>
  steps.some(({ model, reason }) => model && reason === null);
