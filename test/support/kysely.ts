/** The database below the repositories, in memory, for tests of the driver and of statements. */
import { basename } from 'node:path';
import type { TestContext } from 'node:test';
import { CamelCasePlugin, Kysely, Migrator } from 'kysely';
import { readValue, type SqliteConnection } from '../../base/sqlite/connection.ts';
import { CONNECTIONS, openSqlite } from '../../base/sqlite/open.ts';
import { migrations } from '../../storage/sql/migrations/index.ts';
import type { Tables } from '../../storage/sql/schema.ts';
import { SharedSqliteDialect } from '../../storage/sqlite/dialect.ts';

/**
 * Runs `work` with Kysely on a new database that has all tables.
 * @param work receives the connection below Kysely as well
 */
export async function withKysely<T>(
  work: (db: Kysely<Tables>, connection: SqliteConnection) => Promise<T>,
  connection = openSqlite(':memory:'),
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
export function stopGrowth(connection: SqliteConnection): void {
  connection.exec(`pragma max_page_count = ${readValue(connection, 'pragma page_count')}`);
}

export function letGrow(connection: SqliteConnection): void {
  connection.exec(`pragma max_page_count = ${2 ** 30}`);
}

/** Collects the connections to databases of the service that are opened from now on, until the end of the test. */
export function watchConnections(t: TestContext): Set<SqliteConnection> {
  const opened = new Set<SqliteConnection>();
  const add = (message: unknown) => {
    const connection = message as SqliteConnection;
    if (basename(connection.path) === 'imagecrew.sqlite') opened.add(connection);
  };
  CONNECTIONS.subscribe(add);
  t.after(() => CONNECTIONS.unsubscribe(add));
  return opened;
}
