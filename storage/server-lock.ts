/**
 * Allows only one server per data folder: two would each count the stored bytes alone and release the other's
 * reservations.
 */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { dataFolderFull, dataFolderInUse, dataFolderUnusable } from './errors.ts';
import { isOutOfSpace } from './files.ts';
import { ensurePrivateFile, secureDataFolder } from './permissions.ts';

const FILE_NAME = 'server.lock';

/**
 * Locks the data folder for this process.
 * @returns a function that unlocks the folder
 * @throws Failure when another server has locked it
 */
export async function lockDataFolder(dataDir: string): Promise<() => void> {
  let release: (() => void) | undefined;
  try {
    await secureDataFolder(dataDir);
    await ensurePrivateFile(join(dataDir, FILE_NAME));
    release = lockFile(join(dataDir, FILE_NAME));
  } catch (error) {
    if (isOutOfSpace(error)) throw dataFolderFull(dataDir, error);
    throw dataFolderUnusable(dataDir, error);
  }
  if (!release) throw dataFolderInUse(dataDir);
  return release;
}

/**
 * Locks a file, which is created if needed. SQLite's lock ends with the process, however it ends; a mere lock file
 * would be left behind by a killed process.
 * @returns a function that unlocks the file; undefined when another process has locked it
 */
export function lockFile(path: string): (() => void) | undefined {
  const file = new SqliteDatabase(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
    return () => file.close();
  } catch (error) {
    file.close();
    if (error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
