import { Failure } from '../../../base/failure.ts';
import type { Size } from '../../steps/step.ts';

/** 422: the image is only one pixel wide or high, too small for an icon. */
export function noIconFrom({ width, height }: Size): Failure {
  return new Failure(
    'unsupported_output',
    `Expected a picture of at least 2 x 2 pixels for image but received ${width} x ${height} pixels.`,
    { param: 'image' },
  );
}
