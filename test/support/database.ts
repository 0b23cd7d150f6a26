import { readFile, writeFile } from 'node:fs/promises';
import type { Database } from '../../storage/ports/database.ts';
import { databaseFile, openDatabase } from '../../storage/sqlite/database.ts';
import { withFolder } from './folder.ts';

/** The file of a new database, read once: creating the tables takes 50 ms, most of the time of many tests. */
let emptyFile: Promise<Buffer> | undefined;

/** Runs `work` with the database of a new empty folder. */
export async function withDatabase<T>(work: (database: Database, folder: string) => Promise<T>): Promise<T> {
  emptyFile ??= readEmptyFile();
  const bytes = await emptyFile;
  return await withFolder(async (folder) => {
    await writeFile(databaseFile(folder), bytes, { mode: 0o600 });
    const database = await openDatabase(folder);
    try {
      return await work(database, folder);
    } finally {
      await database.close();
    }
  });
}

async function readEmptyFile(): Promise<Buffer> {
  return await withFolder(async (folder) => {
    const database = await openDatabase(folder);
    await database.close();
    return await readFile(databaseFile(folder));
  });
}
