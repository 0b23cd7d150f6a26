import { expected, Failure } from '../../base/failure.ts';

/** 404: no such scan, or that of another account. */
export function scanNotFound(id: string): Failure {
  return new Failure('not_found', expected('the id of a scan', 'id', id), { param: 'id' });
}
