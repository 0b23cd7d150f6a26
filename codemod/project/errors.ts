import { expected, Failure } from '../../base/failure.ts';

/** @param path as requested */
export function outsideRoot(path: string, cause?: unknown): Failure {
  return new Failure('path_outside_root', expected('a path inside the project folder', 'path', path), {
    param: 'path',
    cause,
  });
}
