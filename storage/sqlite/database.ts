/** The database: one SQLite file in the data folder, shared by the server and the commands. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CamelCasePlugin, Kysely, sql } from 'kysely';
import { openLocalEvents } from '../../base/events.ts';
import { Failure } from '../../base/failure.ts';
import { readValue, type SqliteConnection, sqliteErrorName } from '../../base/sqlite/connection.ts';
import { openSqlite } from '../../base/sqlite/open.ts';
import { DATABASE } from '../data-folder/entries.ts';
import { freeSpace } from '../data-folder/free-space.ts';
import { isOutOfSpace } from '../data-folder/out-of-space.ts';
import { ensurePrivateFile, secureDataFolder } from '../data-folder/permissions.ts';
import { checkNoUnfinishedRestore } from '../data-folder/restore-switch.ts';
import { databaseDamaged, databaseMissing, dataFolderFull, dataFolderUnusable, isStorageFull } from '../errors.ts';
import type { Database } from '../ports/database.ts';
import { checkTables, MIGRATIONS_TABLE, migrate } from '../sql/migrate.ts';
import { repositoriesOn } from '../sql/repositories.ts';
import type { Tables } from '../sql/schema.ts';
import { ALONE, UNCONTESTED } from './claims.ts';
import { isFull, SharedSqliteDialect } from './dialect.ts';

/** How long a statement waits while another process writes. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 20;

/**
 * Opens the database of a data folder. Creates both if they do not exist, and migrates the tables.
 * @throws Failure when the folder cannot be written, or the database is damaged or of a newer version
 */
export async function openDatabase(dataDir: string): Promise<Database> {
  const connection = await openFile(dataDir);
  const db = new Kysely<Tables>({
    dialect: new SharedSqliteDialect(connection),
    plugins: [new CamelCasePlugin()],
  });
  try {
    await migrate(db, migrationsOf(connection));
  } catch (error) {
    await close(db, connection);
    throw openingFailure(dataDir, error);
  }
  return {
    ...repositoriesOn(db, UNCONTESTED),
    transaction: (work) => db.transaction().execute((transaction) => work(repositoriesOn(transaction, UNCONTESTED))),
    snapshot: (work) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((transaction) => work(repositoriesOn(transaction, UNCONTESTED))),
    ping: async () => {
      await sql`select 1`.execute(db);
      readFile(databaseFile(dataDir));
    },
    join: async () => {
      await releaseReservations(db);
      return ALONE;
    },
    openEvents: openLocalEvents,
    close: () => close(db, connection),
  };
}

/** Releases what an earlier process has reserved: one process at a time has the data folder. */
async function releaseReservations(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable('meters')
    .set({ reservedRequests: 0, reservedAi: 0 })
    .where(({ eb, or }) => or([eb('reservedRequests', '<>', 0), eb('reservedAi', '<>', 0)]))
    .execute();
}

/** Kysely closes the connection only if it has used it. */
async function close(db: Kysely<Tables>, connection: SqliteConnection): Promise<void> {
  await db.destroy();
  connection.close();
}

/**
 * Reads a row through a separate connection, in 0.3 ms. The main connection could answer from its page cache even after
 * the file was overwritten or removed.
 */
function readFile(path: string): void {
  const connection = openSqlite(path, { readonly: true, timeoutMs: BUSY_TIMEOUT_MS });
  try {
    connection.prepare('select * from accounts limit 1').get();
  } finally {
    connection.close();
  }
}

export const databaseFile = (dataDir: string): string => join(dataDir, DATABASE);

/**
 * Checks the whole database of a data folder without changing anything.
 * @returns whether a database exists
 * @throws Failure as {@link openDatabase}, also for damage that the start of the service does not notice
 */
export async function checkDatabase(dataDir: string): Promise<boolean> {
  const path = databaseFile(dataDir);
  await checkNoUnfinishedRestore(dataDir);
  if (!(await exists(path))) return false;
  await refuseEmptyDatabase(dataDir);
  try {
    const connection = openSqlite(path, { readonly: true, timeoutMs: BUSY_TIMEOUT_MS });
    try {
      migrationsOf(connection);
      const found = readValue(connection, 'pragma quick_check(1)');
      if (found !== 'ok') throw databaseDamaged(path, `is damaged (${found})`);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw openingFailure(dataDir, error);
  }
  return true;
}

/**
 * Writes a copy of the database, as it is at one moment, to a new file. The service may go on writing meanwhile (SQLite
 * documentation, "VACUUM INTO").
 * @returns the name of the last migration of its tables
 * @throws Failure as {@link openDatabase}, and `not_found` if there is no database
 */
export async function copyDatabase(dataDir: string, copy: string): Promise<string> {
  const path = databaseFile(dataDir);
  await checkNoUnfinishedRestore(dataDir);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw databaseMissing(dataDir);
  await refuseEmptyDatabase(dataDir);
  try {
    await checkFreeBytes(dataDir, found.size);
    const connection = openSqlite(path, { readonly: true, timeoutMs: BUSY_TIMEOUT_MS });
    try {
      const done = migrationsOf(connection);
      connection.prepare('vacuum into ?').run(copy);
      return done.sort().at(-1) ?? '';
    } finally {
      connection.close();
    }
  } catch (error) {
    throw openingFailure(dataDir, error);
  }
}

/** Refuses to fill the disk of a service that is running. @throws Failure `storage_full` */
async function checkFreeBytes(dataDir: string, bytes: number): Promise<void> {
  if ((await freeSpace(dataDir)) < bytes) throw dataFolderFull(dataDir, undefined);
}

/**
 * The migrations that have run.
 * @throws Failure when the tables are of a newer version or of another program
 */
function migrationsOf(connection: SqliteConnection): string[] {
  const tables = namesIn(connection, "select name from sqlite_master where type = 'table'");
  const done = tables.includes(MIGRATIONS_TABLE) ? namesIn(connection, `select name from ${MIGRATIONS_TABLE}`) : [];
  checkTables({ name: connection.path, setting: "IC_DATA_DIR to a folder of the service's own" }, tables, done);
  return done;
}

const namesIn = (connection: SqliteConnection, sql: string): string[] =>
  (connection.prepare(sql).all() as { name: string }[]).map(({ name }) => name);

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Refuses an empty database file in a folder that has been in use. SQLite treats an empty file as a new database, but
 * here the file was truncated, and a new database would get another first account.
 */
async function refuseEmptyDatabase(dataDir: string): Promise<void> {
  const path = databaseFile(dataDir);
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== 0) return;
  if (await exists(join(dataDir, 'files'))) throw databaseDamaged(path, 'is empty');
}

/** SQLite error codes for a damaged database and for a file that is not a database. */
const DAMAGED: ReadonlyMap<string, string> = new Map([
  ['SQLITE_NOTADB', 'is no SQLite database'],
  ['SQLITE_CORRUPT', 'is damaged'],
]);

/** The failure for a database that could not be opened. */
function openingFailure(dataDir: string, error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'storage_full') return error;
  if (isOutOfSpace(error) || isStorageFull(error) || isFull(error)) return dataFolderFull(dataDir, error);
  const code = sqliteErrorName(error) ?? '';
  for (const [name, what] of DAMAGED)
    if (code.startsWith(name)) return databaseDamaged(databaseFile(dataDir), what, error);
  return dataFolderUnusable(dataDir, error);
}

/** Page cache per connection; that of better-sqlite3 is 16 MiB by default. Other pages come from the system's cache. */
const PAGE_CACHE_KIB = 4096;

async function openFile(dataDir: string): Promise<SqliteConnection> {
  try {
    await secureDataFolder(dataDir);
    await checkNoUnfinishedRestore(dataDir);
    await refuseEmptyDatabase(dataDir);
    const path = databaseFile(dataDir);
    await ensurePrivateFile(path);
    const file = openSqlite(path, { timeoutMs: BUSY_TIMEOUT_MS });
    await useWriteAheadLog(file);
    // With WAL this can lose the last transactions in a power cut but never corrupts the database (SQLite
    // documentation, "PRAGMA synchronous").
    file.exec('pragma synchronous = NORMAL');
    file.exec('pragma foreign_keys = ON');
    file.exec(`pragma cache_size = -${PAGE_CACHE_KIB}`);
    // SQLite's `lower` converts only ASCII letters.
    file.define('fold_case', (text) => (typeof text === 'string' ? text.toLowerCase() : null));
    return file;
  } catch (error) {
    throw openingFailure(dataDir, error);
  }
}

/**
 * Enables WAL, so that readers and a writer can work at the same time. The change needs exclusive access and does not
 * wait for it as other statements do. Measured: when two processes open a new database at once, one of them fails in
 * one of six runs.
 */
async function useWriteAheadLog(file: SqliteConnection): Promise<void> {
  for (let waited = 0; ; waited += BUSY_RETRY_MS) {
    try {
      file.exec('pragma journal_mode = WAL');
      return;
    } catch (error) {
      if (sqliteErrorName(error) !== 'SQLITE_BUSY' || waited >= BUSY_TIMEOUT_MS) throw error;
      await setTimeout(BUSY_RETRY_MS);
    }
  }
}
