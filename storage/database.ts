/** The database: one SQLite file in the data folder, shared by the server and the commands. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { CamelCasePlugin, Kysely, Migrator, sql } from 'kysely';
import { Failure } from '../base/failure.ts';
import {
  databaseDamaged,
  databaseForeign,
  databaseNewer,
  dataFolderFull,
  dataFolderUnusable,
  isStorageFull,
} from './errors.ts';
import { isOutOfSpace } from './files.ts';
import { type JobQueue, SqliteJobQueue } from './job-queue.ts';
import { migrations } from './migrations/index.ts';
import { ensurePrivateFile, secureDataFolder } from './permissions.ts';
import { Accounts } from './repositories/accounts.ts';
import { Files } from './repositories/files.ts';
import { IdempotencyKeys } from './repositories/idempotency.ts';
import { Jobs } from './repositories/jobs.ts';
import { Keys } from './repositories/keys.ts';
import { Meters } from './repositories/meters.ts';
import { Notices } from './repositories/notices.ts';
import { Packages } from './repositories/packages.ts';
import { Pipelines } from './repositories/pipelines.ts';
import { RateWindows } from './repositories/rate-windows.ts';
import { SiteAssessment } from './repositories/site-assessment.ts';
import { SiteCrawl } from './repositories/site-crawl.ts';
import { SiteDownloads } from './repositories/site-downloads.ts';
import { SiteInventory } from './repositories/site-inventory.ts';
import { SiteMapping } from './repositories/site-mapping.ts';
import { SiteOutputs } from './repositories/site-outputs.ts';
import { SiteReport } from './repositories/site-report.ts';
import { SiteScans } from './repositories/site-scans.ts';
import { SiteSizes } from './repositories/site-sizes.ts';
import { Usage } from './repositories/usage.ts';
import { Webhooks } from './repositories/webhooks.ts';
import type { Tables } from './schema.ts';
import { isFull, SharedSqliteDialect } from './sqlite.ts';

const FILE_NAME = 'imagecrew.sqlite';

/** How long a statement waits while another process writes. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 20;

export interface Repositories {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly files: Files;
  readonly meters: Meters;
  readonly usage: Usage;
  readonly notices: Notices;
  readonly packages: Packages;
  readonly pipelines: Pipelines;
  readonly rateWindows: RateWindows;
  readonly jobs: Jobs;
  readonly jobQueue: JobQueue;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly webhooks: Webhooks;
  readonly siteAssessment: SiteAssessment;
  readonly siteCrawl: SiteCrawl;
  readonly siteDownloads: SiteDownloads;
  readonly siteMapping: SiteMapping;
  readonly siteOutputs: SiteOutputs;
  readonly siteReport: SiteReport;
  readonly siteScans: SiteScans;
  readonly siteSizes: SiteSizes;
  readonly siteInventory: SiteInventory;
}

export interface Database extends Repositories {
  /** Runs `work` on repositories whose changes are committed together, or rolled back when it throws. */
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Resolves when the database responds and its file can be read. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

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
    checkTables(connection, await knownMigrations());
    const { error } = await new Migrator({ db: db.withoutPlugins(), provider: migrations }).migrateToLatest();
    if (error) throw error;
  } catch (error) {
    await db.destroy();
    throw openingFailure(dataDir, error);
  }
  return {
    ...repositoriesOn(db),
    transaction: (work) => db.transaction().execute((transaction) => work(repositoriesOn(transaction))),
    ping: async () => {
      await sql`select 1`.execute(db);
      readFile(databaseFile(dataDir));
    },
    close: () => db.destroy(),
  };
}

/**
 * Reads a row through a separate connection, in 0.3 ms. The main connection could answer from its page cache even after
 * the file was overwritten or removed.
 */
function readFile(path: string): void {
  const connection = new SqliteDatabase(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    connection.prepare('select * from accounts limit 1').get();
  } finally {
    connection.close();
  }
}

export function databaseFile(dataDir: string): string {
  return join(dataDir, FILE_NAME);
}

/**
 * Checks the whole database of a data folder without changing anything.
 * @returns whether a database exists
 * @throws Failure as {@link openDatabase}, also for damage that the start of the service does not notice
 */
export async function checkDatabase(dataDir: string): Promise<boolean> {
  const path = databaseFile(dataDir);
  if (!(await exists(path))) return false;
  await refuseEmptyDatabase(dataDir);
  try {
    const connection = new SqliteDatabase(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      checkTables(connection, await knownMigrations());
      const found = connection.pragma('quick_check(1)', { simple: true });
      if (found !== 'ok') throw databaseDamaged(path, `is damaged (${found})`);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw openingFailure(dataDir, error);
  }
  return true;
}

async function knownMigrations(): Promise<ReadonlySet<string>> {
  return new Set(Object.keys(await migrations.getMigrations()));
}

/** The table in which Kysely records the migrations that have run. */
const MIGRATIONS_TABLE = 'kysely_migration';

/** Checks the tables. @throws Failure when they are of a newer version or of another program */
function checkTables(connection: SqliteDatabase.Database, known: ReadonlySet<string>): void {
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  if (!tables.includes(MIGRATIONS_TABLE)) {
    if (tables.length > 0) throw databaseForeign(connection.name);
    return;
  }
  const done = connection.prepare(`select name from ${MIGRATIONS_TABLE}`).pluck().all() as string[];
  if (done.some((name) => !known.has(name))) throw databaseNewer(connection.name);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

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
  const code = error instanceof SqliteDatabase.SqliteError ? error.code : '';
  for (const [name, what] of DAMAGED)
    if (code.startsWith(name)) return databaseDamaged(databaseFile(dataDir), what, error);
  return dataFolderUnusable(dataDir, error);
}

function repositoriesOn(db: Kysely<Tables>): Repositories {
  return {
    accounts: new Accounts(db),
    keys: new Keys(db),
    files: new Files(db),
    meters: new Meters(db),
    usage: new Usage(db),
    notices: new Notices(db),
    packages: new Packages(db),
    pipelines: new Pipelines(db),
    rateWindows: new RateWindows(db),
    jobs: new Jobs(db),
    jobQueue: new SqliteJobQueue(db),
    idempotencyKeys: new IdempotencyKeys(db),
    webhooks: new Webhooks(db),
    siteAssessment: new SiteAssessment(db),
    siteCrawl: new SiteCrawl(db),
    siteDownloads: new SiteDownloads(db),
    siteMapping: new SiteMapping(db),
    siteOutputs: new SiteOutputs(db),
    siteReport: new SiteReport(db),
    siteScans: new SiteScans(db),
    siteSizes: new SiteSizes(db),
    siteInventory: new SiteInventory(db),
  };
}

/** Page cache per connection; the default of better-sqlite3 is 16 MiB. Other pages come from the system's cache. */
const PAGE_CACHE_KIB = 4096;

async function openFile(dataDir: string): Promise<SqliteDatabase.Database> {
  try {
    await secureDataFolder(dataDir);
    await refuseEmptyDatabase(dataDir);
    const path = databaseFile(dataDir);
    await ensurePrivateFile(path);
    const file = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS });
    await useWriteAheadLog(file);
    // With WAL this can lose the last transactions in a power cut but never corrupts the database (SQLite
    // documentation, "PRAGMA synchronous").
    file.pragma('synchronous = NORMAL');
    file.pragma('foreign_keys = ON');
    file.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
    // SQLite's `lower` converts only ASCII letters.
    file.function('fold_case', { deterministic: true }, (text) =>
      typeof text === 'string' ? text.toLowerCase() : null,
    );
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
async function useWriteAheadLog(file: SqliteDatabase.Database): Promise<void> {
  for (let waited = 0; ; waited += BUSY_RETRY_MS) {
    try {
      file.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const busy = error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_BUSY';
      if (!busy || waited >= BUSY_TIMEOUT_MS) throw error;
      await setTimeout(BUSY_RETRY_MS);
    }
  }
}
