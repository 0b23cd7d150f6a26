import { Failure } from '../../base/failure.ts';
import { dataFolderFull, dataFolderUnusable } from '../errors.ts';
import { isOutOfSpace } from './out-of-space.ts';

/** Converts what a lock of the data folder has thrown. Without a driver of SQLite the folder is not at fault. */
export function folderFailure(dataDir: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return isOutOfSpace(error) ? dataFolderFull(dataDir, error) : dataFolderUnusable(dataDir, error);
}
