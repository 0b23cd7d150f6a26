import { Failure } from '../../../base/failure.ts';
import type { Size } from '../../steps/step.ts';

/** 422: a line of single pixels is no picture to make an icon of. */
export function noIconFrom({ width, height }: Size): Failure {
  return new Failure(
    'unsupported_output',
    `Expected a picture of at least 2 x 2 pixels for image but received ${width} x ${height} pixels.`,
    { param: 'image' },
  );
}
