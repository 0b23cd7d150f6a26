/** Which steps of a pipeline run a model. Main-thread safe. */
import type { Step } from './record.ts';

/** Whether a step, when it is done, runs a model. */
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

function encodesBefore(steps: readonly Step[]): boolean {
  return steps.some(({ op }) => op === 'convert' || op === 'compress');
}
