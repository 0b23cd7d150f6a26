import type { Kysely } from 'kysely';

/** JSON: ids of the limited keys that created a key. Its usage counts against their limits too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('keys')
    .addColumn('limited_by', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}
