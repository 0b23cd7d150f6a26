import { readFile, writeFile } from 'node:fs/promises';
import { describe } from 'node:test';
import { CamelCasePlugin, Kysely } from 'kysely';
import { openSqlite } from '../../base/sqlite/open.ts';
import type { Database } from '../../storage/ports/database.ts';
import { openPostgres } from '../../storage/postgres/database.ts';
import { RepositoryPostgresDialect } from '../../storage/postgres/dialect.ts';
import { openPool } from '../../storage/postgres/pool.ts';
import type { Tables } from '../../storage/sql/schema.ts';
import type { RepositoryDialect } from '../../storage/sql/syntax.ts';
import { databaseFile, openDatabase } from '../../storage/sqlite/database.ts';
import { SharedSqliteDialect } from '../../storage/sqlite/dialect.ts';
import { withFolder } from './folder.ts';
import { POSTGRES_MISSING, startPostgres, type TestServer } from './postgres.ts';

/** A database of a test that can be opened once more, as by another process. */
export interface TestDatabase {
  database: Database;
  folder: string;
  /** Opens it again. The caller closes what it returns. */
  open(): Promise<Database>;
}

/** Runs `work` with a new database and a function that opens it once more. */
type WithDatabase = <T>(work: (database: Database, open: () => Promise<Database>) => Promise<T>) => Promise<T>;

type WithNewDatabase = <T>(work: (test: TestDatabase) => Promise<T>) => Promise<T>;

/** The databases that implement the ports. */
const DATABASES: readonly { name: string; skip: string | false; withNew: WithNewDatabase }[] = [
  { name: 'SQLite', skip: false, withNew: withSqlite },
  { name: 'PostgreSQL', skip: POSTGRES_MISSING ?? false, withNew: withPostgres },
];

/** Defines tests for each of the databases; those of one that is not installed are skipped. */
export function onEachDatabase(define: (withDatabase: WithDatabase) => void): void {
  for (const { name, skip, withNew } of DATABASES)
    describe(`with ${name}`, { skip }, () => {
      define((work) => withNew(({ database, open }) => work(database, open)));
    });
}

/**
 * IMAGECREW_TEST_DATABASE=PostgreSQL: all tests that need some database use that one.
 */
const chosen = DATABASES.find(({ name }) => name === (process.env.IMAGECREW_TEST_DATABASE ?? 'SQLite'));

/** Why tests of what only SQLite has, such as a file, are skipped; false if they run. */
export const OTHER_DATABASE = chosen?.name === 'SQLite' ? false : 'a test of SQLite';

/** Runs `work` with a new database, as a process that has joined it, and a folder. */
export async function withDatabase<T>(work: (database: Database, folder: string) => Promise<T>): Promise<T> {
  if (!chosen) throw new Error('Expected the name of a database for IMAGECREW_TEST_DATABASE.');
  return await chosen.withNew(async ({ database, folder }) => {
    const presence = await database.join();
    try {
      return await work(database, folder);
    } finally {
      await presence.leave();
    }
  });
}

/** The file of a new database, read once: creating the tables takes 50 ms, most of the time of many tests. */
let emptyFile: Promise<Buffer> | undefined;

async function withSqlite<T>(work: (test: TestDatabase) => Promise<T>): Promise<T> {
  emptyFile ??= readEmptyFile();
  const bytes = await emptyFile;
  return await withFolder(async (folder) => {
    await writeFile(databaseFile(folder), bytes, { mode: 0o600 });
    const dialect = () => new SharedSqliteDialect(openSqlite(databaseFile(folder)));
    return await withOpened({ open: () => openDatabase(folder), dialect, folder }, work);
  });
}

async function readEmptyFile(): Promise<Buffer> {
  return await withFolder(async (folder) => {
    const database = await openDatabase(folder);
    await database.close();
    return await readFile(databaseFile(folder));
  });
}

/** The server, and the name of a database that has all tables and is copied for each test. */
let postgres: Promise<{ server: TestServer; template: string }> | undefined;

async function withPostgres<T>(work: (test: TestDatabase) => Promise<T>): Promise<T> {
  postgres ??= startWithTables();
  const { server, template } = await postgres;
  const url = await server.create(template);
  const dialect = () => new RepositoryPostgresDialect({ pool: openPool(url) });
  return await withFolder((folder) => withOpened({ open: () => openPostgres(url), dialect, folder }, work));
}

async function startWithTables(): Promise<{ server: TestServer; template: string }> {
  const server = await startPostgres();
  const template = 'empty';
  await server.run(`create database ${template} template template0`);
  const database = await openPostgres(server.url(template));
  await database.close();
  return { server, template };
}

/** The dialects of the databases of tests. */
const dialects = new WeakMap<Database, () => RepositoryDialect>();

/** Opens Kysely on the database of a test, for what no repository does. The caller destroys it. */
export function kyselyOn(database: Database): Kysely<Tables> {
  const dialect = dialects.get(database);
  if (!dialect) throw new Error('Expected a database of withDatabase.');
  return new Kysely<Tables>({ dialect: dialect(), plugins: [new CamelCasePlugin()] });
}

async function withOpened<T>(
  { open, dialect, folder }: Pick<TestDatabase, 'open' | 'folder'> & { dialect: () => RepositoryDialect },
  work: (test: TestDatabase) => Promise<T>,
): Promise<T> {
  const database = await open();
  dialects.set(database, dialect);
  try {
    return await work({ database, folder, open });
  } finally {
    await database.close();
  }
}
