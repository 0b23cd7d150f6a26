import type { Migration } from 'kysely';
import * as processes from './0001_processes.ts';

/**
 * The migrations of tables that only PostgreSQL needs, in order. They run after those that all databases share. Released
 * migrations must not change.
 */
export const POSTGRES_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_processes': processes,
};
