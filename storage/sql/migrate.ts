/** Brings the tables of a database to this version. */

import { DEFAULT_MIGRATION_TABLE, type Kysely, type Migration, Migrator, type MigratorProps } from 'kysely';
import { databaseForeign, databaseNewer } from '../errors.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/** The table in which Kysely records the migrations that have run. */
export const MIGRATIONS_TABLE = DEFAULT_MIGRATION_TABLE;

/** Whether this version has the migration of that name. */
export const isKnownMigration = (name: string): boolean => Object.hasOwn(MIGRATIONS, name);

/**
 * Checks the tables of a database before any of them is changed.
 * @param place the database, for messages, and how to choose another one
 * @param tables the names of its tables
 * @param done the migrations that have run
 * @throws Failure when the tables are of a newer version or of another program
 */
export function checkTables(
  place: { name: string; setting: string },
  tables: readonly string[],
  done: readonly string[],
): void {
  if (tables.length > 0 && !tables.includes(MIGRATIONS_TABLE)) throw databaseForeign(place.name, place.setting);
  if (!done.every(isKnownMigration)) throw databaseNewer(place.name);
}

/** Migrations of a database's own, and where they are recorded. */
export interface OwnMigrations {
  migrations: Readonly<Record<string, Migration>>;
  settings: Pick<MigratorProps, 'migrationTableName' | 'migrationLockTableName' | 'migrationTableSchema'>;
}

/**
 * Runs the migrations that have not run yet. Several processes may call it at once.
 * @param done the migrations that have run
 * @param own default: those that all databases share
 */
export async function migrate(
  db: Kysely<Tables>,
  done: readonly string[],
  { migrations, settings }: OwnMigrations = { migrations: MIGRATIONS, settings: {} },
): Promise<void> {
  // The migrator reads every table four times before it finds nothing to do, in 20 ms.
  if (done.length === Object.keys(migrations).length) return;
  const provider = { getMigrations: async () => ({ ...migrations }) };
  const { error } = await new Migrator({ db: db.withoutPlugins(), provider, ...settings }).migrateToLatest();
  if (error) throw error;
}
