import { expected, Failure } from '../../base/failure.ts';
import type { Size } from '../../base/geometry.ts';

/** 400: two parameters that exclude each other. */
export const conflictingParameters = (param: string, message: string): Failure =>
  new Failure('conflicting_parameters', message, { param });

/** 404: no ID photo preset with this id. */
export const photoPresetNotFound = (preset: string): Failure =>
  new Failure('preset_not_found', expected('the id of a preset of ID photos', 'preset', preset), {
    param: 'preset',
    hint: 'GET /api/v1/id-photo lists the presets.',
  });

/** 422: nothing in the image stands out from its background. */
export function noSubject(): Failure {
  return new Failure(
    'no_subject',
    'Expected an image with a subject for image but received one in which nothing stands out from its background.',
    { param: 'image' },
  );
}

/** 422: an image in which no face is found, for a photo that is placed on a face. */
export const noFace = (): Failure =>
  new Failure('no_subject', 'Expected an image with a face for image but received one in which none was found.', {
    param: 'image',
    hint: 'Set the area with crop instead of align=face.',
  });

/** 422: the part `mask` is not an image, or does not fit this image. */
export const invalidMask = (what: string, received: string, cause?: unknown): Failure =>
  new Failure('invalid_mask', `Expected ${what} for mask but received ${received}.`, { param: 'mask', cause });

/** 504: path patterns that take longer than `limitMs` milliseconds to match. */
export function slowPatterns(param: string, limitMs: number): Failure {
  return new Failure(
    'processing_timeout',
    `Expected patterns that can be matched within ${limitMs / 1000} seconds for ${param} but received slower ones.`,
    { param },
  );
}

/** 422: the image is only one pixel wide or high, too small for an icon. */
export function noIconFrom({ width, height }: Size): Failure {
  return new Failure(
    'unsupported_output',
    `Expected an image of at least 2 x 2 pixels for image but received ${width} x ${height} pixels.`,
    { param: 'image' },
  );
}
