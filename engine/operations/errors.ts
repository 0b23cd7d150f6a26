import { expected, Failure } from '../../base/failure.ts';

/** 400: a pair of parameters that cannot go together. */
export function conflictingParameters(param: string, message: string): Failure {
  return new Failure('conflicting_parameters', message, { param });
}

/** 404: no such preset for ID photos. */
export function photoPresetNotFound(preset: string): Failure {
  return new Failure('preset_not_found', expected('the id of a preset of ID photos', 'preset', preset), {
    param: 'preset',
  });
}

/** 422: there is nothing in the picture that stands out from the rest. */
export function noSubject(): Failure {
  return new Failure(
    'no_subject',
    'Expected a picture with a subject for image but received one in which nothing stands out from its background.',
    { param: 'image' },
  );
}

/** 422: the part `mask` is no image, or none of this picture. */
export function invalidMask(what: string, received: string, cause?: unknown): Failure {
  return new Failure('invalid_mask', `Expected ${what} for mask but received ${received}.`, { param: 'mask', cause });
}

/** 504: patterns of paths that take longer than `limitMs` milliseconds. */
export function slowPatterns(param: string, limitMs: number): Failure {
  return new Failure(
    'processing_timeout',
    `Expected patterns that can be matched within ${limitMs / 1000} seconds for ${param} but received slower ones.`,
    { param },
  );
}
