import type { Kysely } from 'kysely';

/** The ids of the keys with limits that a key was made with, as JSON: its use counts against theirs too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('keys')
    .addColumn('limited_by', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}
