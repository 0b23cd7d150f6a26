/** The database below the repositories, in memory, for tests of the driver and of statements. */
import SqliteDatabase from 'better-sqlite3';
import { CamelCasePlugin, Kysely, Migrator } from 'kysely';
import { SharedSqliteDialect } from '../../storage/sqlite/dialect.ts';
import { migrations } from '../../storage/sqlite/migrations/index.ts';
import type { Tables } from '../../storage/sqlite/schema.ts';

/**
 * Runs `work` with Kysely on a new database that has all tables.
 * @param work receives the connection below Kysely as well
 */
export async function withKysely<T>(
  work: (db: Kysely<Tables>, connection: SqliteDatabase.Database) => Promise<T>,
  connection = new SqliteDatabase(':memory:'),
): Promise<T> {
  const db = new Kysely<Tables>({
    dialect: new SharedSqliteDialect(connection),
    plugins: [new CamelCasePlugin()],
  });
  try {
    const { error } = await new Migrator({ db: db.withoutPlugins(), provider: migrations }).migrateToLatest();
    if (error) throw error;
    return await work(db, connection);
  } finally {
    await db.destroy();
  }
}

/** Stops the database from growing, so that SQLite fails as on a full disk. */
export function stopGrowth(connection: SqliteDatabase.Database): void {
  connection.pragma(`max_page_count = ${connection.pragma('page_count', { simple: true })}`);
}

export function letGrow(connection: SqliteDatabase.Database): void {
  connection.pragma(`max_page_count = ${2 ** 30}`);
}
