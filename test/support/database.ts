import type { Database } from '../../storage/ports/database.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { withFolder } from './folder.ts';

/** Runs `work` with the database of a new empty folder. */
export async function withDatabase<T>(work: (database: Database, folder: string) => Promise<T>): Promise<T> {
  return await withFolder(async (folder) => {
    const database = await openDatabase(folder);
    try {
      return await work(database, folder);
    } finally {
      await database.close();
    }
  });
}
