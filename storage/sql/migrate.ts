/** Brings the tables of a database to this version. */

import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator } from 'kysely';
import { databaseForeign, databaseNewer } from '../errors.ts';
import { MIGRATIONS, migrations } from './migrations/index.ts';
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

/**
 * Runs the migrations that have not run yet. Several processes may call it at once.
 * @param done the migrations that have run
 * @param schema where the tables are; undefined if the database has no schemas
 */
export async function migrate(db: Kysely<Tables>, done: readonly string[], schema?: string): Promise<void> {
  // The migrator reads every table four times before it finds nothing to do, in 20 ms.
  if (done.length === Object.keys(MIGRATIONS).length) return;
  const { error } = await new Migrator({
    db: db.withoutPlugins(),
    provider: migrations,
    ...(schema !== undefined && { migrationTableSchema: schema }),
  }).migrateToLatest();
  if (error) throw error;
}
