/**
 * Allows only one server per data folder: two would each count the stored bytes alone and release the other's
 * reservations.
 */
import { join } from 'node:path';
import { lockFile } from '../../base/file-lock.ts';
import { dataFolderInUse } from '../errors.ts';
import { folderFailure } from './folder-failure.ts';
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
    throw folderFailure(dataDir, error);
  }
  if (!release) throw dataFolderInUse(dataDir);
  return release;
}
