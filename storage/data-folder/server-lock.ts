/**
 * Allows only one server per data folder: two would each count the stored bytes alone and release the other's
 * reservations.
 */
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { lockFile } from '../../base/file-lock.ts';
import { dataFolderFull, dataFolderInUse, dataFolderUnusable } from '../errors.ts';
import { isOutOfSpace } from './out-of-space.ts';
import { ensurePrivateFile, secureDataFolder } from './permissions.ts';
import { finishRestore } from './restore-switch.ts';

const FILE_NAME = 'server.lock';

/**
 * Locks the data folder for this process. Finishes a restore that was interrupted.
 * @returns a function that unlocks the folder
 * @throws Failure when another server has locked it
 */
export async function lockDataFolder(dataDir: string): Promise<() => void> {
  let release: (() => void) | undefined;
  try {
    await secureDataFolder(dataDir);
    await ensurePrivateFile(join(dataDir, FILE_NAME));
    release = lockFile(join(dataDir, FILE_NAME));
    if (release) await finishRestore(dataDir);
  } catch (error) {
    release?.();
    // Without a driver of SQLite the folder is not at fault.
    if (error instanceof Failure) throw error;
    if (isOutOfSpace(error)) throw dataFolderFull(dataDir, error);
    throw dataFolderUnusable(dataDir, error);
  }
  if (!release) throw dataFolderInUse(dataDir);
  return release;
}
