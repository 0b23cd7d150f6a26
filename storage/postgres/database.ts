/** The database on a PostgreSQL server, shared by servers and commands. */

import { randomUUID } from 'node:crypto';
import { CamelCasePlugin, Kysely, sql } from 'kysely';
import { Failure } from '../../base/failure.ts';
import { Turns } from '../../base/turns.ts';
import { databaseNewer, databaseUnusable } from '../errors.ts';
import type { Database } from '../ports/database.ts';
import { checkTables, MIGRATIONS_TABLE, migrate } from '../sql/migrate.ts';
import { MIGRATIONS } from '../sql/migrations/index.ts';
import { repositoriesOn } from '../sql/repositories.ts';
import type { Tables } from '../sql/schema.ts';
import { PostgresClaims } from './claims.ts';
import { RepositoryPostgresDialect } from './dialect.ts';
import { SharedEvents } from './events.ts';
import { POSTGRES_MIGRATIONS } from './migrations/index.ts';
import { openPool } from './pool.ts';
import { joinDatabase } from './presence.ts';

/** The advisory lock of transactions that write: any number that is the same in all processes. */
const WRITE_LOCK = 0x1c_0da7a;

/** The oldest version whose syntax and behaviour are tested, as `server_version_num` gives it. */
const OLDEST_VERSION = 140_000;

/** Where Kysely records the migrations of the tables that only PostgreSQL has. */
const OWN_MIGRATIONS_TABLE = 'kysely_postgres_migration';

/**
 * Opens a database and migrates its tables.
 * @param url such as `postgres://user:password@host:5432/name`
 * @throws Failure when the server does not answer, or the database is of another program or of a newer version
 */
export async function openPostgres(url: string): Promise<Database> {
  const id = randomUUID();
  let isMember = false;
  const pool = openPool(url, () => (isMember ? id : undefined));
  const db = new Kysely<Tables>({
    dialect: new RepositoryPostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  try {
    const { schema, done, ownDone } = await inspect(db, url);
    const settings = { migrationTableSchema: schema };
    await migrate(db, done, { migrations: MIGRATIONS, settings });
    const names = { migrationTableName: OWN_MIGRATIONS_TABLE, migrationLockTableName: `${OWN_MIGRATIONS_TABLE}_lock` };
    await migrate(db, ownDone, { migrations: POSTGRES_MIGRATIONS, settings: { ...settings, ...names } });
  } catch (error) {
    await db.destroy();
    throw openingFailure(url, error);
  }
  const events = new SharedEvents(db, url, id);
  const inTransaction = writing(db);
  return {
    ...repositoriesOn(db, new PostgresClaims(db, id)),
    transaction: (work) => inTransaction((each) => work(repositoriesOn(each, new PostgresClaims(each, id)))),
    snapshot: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((each) => work(repositoriesOn(each, new PostgresClaims(each, id)))),
    ping: async () => {
      await sql`select 1 from accounts limit 1`.execute(db);
    },
    join: async () => {
      const presence = await joinDatabase(db, inTransaction, id);
      isMember = true;
      return presence;
    },
    openEvents: (name, subjectOf) => events.open(name, subjectOf),
    close: async () => {
      await events.close();
      await db.destroy();
    },
  };
}

/** Runs transactions that hold the lock of those that write, one at a time. */
function writing(db: Kysely<Tables>) {
  const turns = new Turns();
  // A transaction that waits for the lock occupies a connection, so only one of this process waits.
  return <T>(work: (transaction: Kysely<Tables>) => Promise<T>): Promise<T> =>
    turns.take(() =>
      db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(WRITE_LOCK)})`.execute(transaction);
        return await work(transaction);
      }),
    );
}

/**
 * Checks a database without changing anything.
 * @throws Failure as {@link openPostgres}
 * @returns the version of the server, such as `15.19`
 */
export async function checkPostgres(url: string): Promise<string> {
  const db = new Kysely<Tables>({ dialect: new RepositoryPostgresDialect({ pool: openPool(url) }) });
  try {
    await inspect(db, url);
    return (await settingOf(db, 'server_version')).split(' ')[0] ?? '';
  } catch (error) {
    throw openingFailure(url, error);
  } finally {
    await db.destroy();
  }
}

interface Inspection {
  schema: string;
  done: string[];
  ownDone: string[];
}

/**
 * Returns the schema of the tables, and the migrations that have run: those that all databases share, and PostgreSQL's own.
 * @throws Failure when this version cannot use the database
 */
async function inspect(db: Kysely<Tables>, url: string): Promise<Inspection> {
  const address = addressOf(url);
  const version = Number(await settingOf(db, 'server_version_num'));
  if (version < OLDEST_VERSION) throw databaseUnusable(address, 'PostgreSQL 14 or newer is needed');
  if ((await settingOf(db, 'server_encoding')) !== 'UTF8')
    throw databaseUnusable(address, 'its encoding must be UTF8: create database … encoding UTF8 template template0');
  const { rows } = await sql<{ schema: string | null; hasUnicode: boolean }>`
    select current_schema() as schema,
      exists (select 1 from pg_collation where collname = 'und-x-icu') as "hasUnicode"`.execute(db);
  const { schema = null, hasUnicode = false } = rows[0] ?? {};
  if (schema === null) throw databaseUnusable(address, 'no schema of its search path exists');
  if (!hasUnicode) throw databaseUnusable(address, 'a server with ICU is needed');
  const tables = await namesOf(
    db,
    sql`select table_name as name from information_schema.tables
    where table_schema = ${schema} and table_type = 'BASE TABLE'`,
  );
  const recorded = async (table: string) =>
    tables.includes(table) ? await namesOf(db, sql`select name from ${sql.table(`${schema}.${table}`)}`) : [];
  const done = await recorded(MIGRATIONS_TABLE);
  const ownDone = await recorded(OWN_MIGRATIONS_TABLE);
  const place = { name: address, setting: "IC_DATABASE_URL to a database of the service's own" };
  checkTables(place, tables, done);
  if (!ownDone.every((name) => Object.hasOwn(POSTGRES_MIGRATIONS, name))) throw databaseNewer(address);
  return { schema, done, ownDone };
}

async function settingOf(db: Kysely<Tables>, name: string): Promise<string> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
  return rows[0]?.value ?? '';
}

async function namesOf(db: Kysely<Tables>, query: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** The address without the password. */
export function addressOf(url: string): string {
  const address = new URL(url);
  if (address.password !== '') address.password = '***';
  // Options may contain a password too.
  address.search = '';
  return String(address);
}

/** The failure for a database that could not be opened. */
function openingFailure(url: string, error: unknown): Failure {
  const cause = error instanceof Failure && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Failure) return cause;
  return databaseUnusable(addressOf(url), reasonOf(cause), cause);
}

/** In the words of the server or of the network; an error of several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code;
}
