import { expected, Failure } from '../../base/failure.ts';

/** 400: a pair of parameters that cannot go together. */
export function conflictingParameters(param: string, message: string): Failure {
  return new Failure('conflicting_parameters', message, { param });
}

/** 404: no such preset for ID photos. */
export function photoPresetNotFound(preset: string): Failure {
  return new Failure(
    'preset_not_found',
    expected('the id of a preset in the list of GET /api/v1/id-photo', 'preset', preset),
    { param: 'preset' },
  );
}

/** Models are installed by the operator, which takes its time. In seconds. */
const MODEL_RETRY_AFTER = 600;

/** 503: an operation needs a model that is not installed. */
export function modelUnavailable(param: string): Failure {
  return new Failure(
    'model_unavailable',
    `Expected an installed model for ${param} but received a request for one that is not there. Try again later, or without it.`,
    { param, retryAfter: MODEL_RETRY_AFTER },
  );
}
