import { Failure } from '../../base/failure.ts';

/** Sent with status 416: the requested range is not in the file. */
export function rangeNotSatisfiable(bytes: number): Failure {
  return new Failure('invalid_request', `Expected a part of 0-${bytes - 1} for Range but received one outside of it.`);
}
