/** Chooses the database: PostgreSQL where the settings name a server, otherwise SQLite in the data folder. */

import type { Database } from './ports/database.ts';
import { openDatabase as openSqliteDatabase } from './sqlite/database.ts';

export interface DatabaseSettings {
  dataDir: string;
  /** Address of a database on a PostgreSQL server. */
  databaseUrl: string | undefined;
}

/**
 * Opens the database and brings its tables to this version.
 * @throws Failure when it cannot be used, or is of a newer version
 */
export async function openDatabase({ dataDir, databaseUrl }: DatabaseSettings): Promise<Database> {
  if (databaseUrl === undefined) return await openSqliteDatabase(dataDir);
  // Loaded only here: the package `pg` is needed by nobody else.
  const { openPostgres } = await import('./postgres/database.ts');
  return await openPostgres(databaseUrl);
}
