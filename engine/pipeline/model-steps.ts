/** Which steps run a model, as far as a pipeline tells. Main-thread safe. */
import type { Step } from './record.ts';

/** Whether a step runs a model when it is done. */
export function runsModel(step: Step): boolean {
  switch (step.op) {
    case 'remove_background':
    case 'upscale':
      return true;
    case 'blur_faces':
      return step.params.boxes === undefined;
    case 'id_photo':
      return step.params.remove_background;
    default:
      return false;
  }
}

/** Whether a pipeline runs a model: with every picture, with none, or with those for which a condition holds. */
export function mayRunModel(steps: readonly Step[]): 'always' | 'never' | 'by_condition' {
  const modelSteps = steps.filter(runsModel);
  if (modelSteps.length === 0) return 'never';
  // An encoding step before id_photo may be used in its place.
  const certain = modelSteps.some(
    (step) => step.when === undefined && !(step.op === 'id_photo' && encodesBefore(steps)),
  );
  return certain ? 'always' : 'by_condition';
}

function encodesBefore(steps: readonly Step[]): boolean {
  return steps.some(({ op }) => op === 'convert' || op === 'compress');
}
