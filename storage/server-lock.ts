/** One server to a data folder: two would each count the stored bytes alone and give back the other's reservations. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { dataFolderFull, dataFolderInUse, dataFolderUnusable } from './errors.ts';
import { isOutOfSpace } from './files.ts';
import { ensurePrivateFile, secureDataFolder } from './permissions.ts';

const FILE_NAME = 'server.lock';

/**
 * Takes the data folder for this process.
 * @returns gives the folder back
 * @throws Failure when another server has it
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
 * Holds a file, which is made when it does not exist. SQLite's lock on it ends with the process, however that ends; a file that
 * only exists would be left behind by a killed one.
 * @returns gives it back; undefined when another process has it
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
