/** One server to a data folder: two would each count the stored bytes alone and give back the other's reservations. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { dataFolderInUse, dataFolderUnusable } from './errors.ts';

const FILE_NAME = 'server.lock';

/**
 * Takes the data folder for this process. SQLite's lock on a file of its own ends with the process, however that ends; a
 * file that only exists would be left behind by a killed one.
 * @returns gives the folder back
 * @throws Failure when another server has it
 */
export async function lockDataFolder(dataDir: string): Promise<() => void> {
  let file: SqliteDatabase.Database | undefined;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    file = new SqliteDatabase(join(dataDir, FILE_NAME), { timeout: 0 });
    const held = file;
    held.exec('begin exclusive');
    return () => held.close();
  } catch (error) {
    file?.close();
    const isHeld = error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_BUSY';
    throw isHeld ? dataFolderInUse(dataDir) : dataFolderUnusable(dataDir, error);
  }
}
