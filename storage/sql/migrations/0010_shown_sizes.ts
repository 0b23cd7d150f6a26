import type { Kysely } from 'kysely';

/**
 * Stores the sizes that style sheets and pages give to images, and whether the size of a place is certain. In older
 * scans no size is certain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('site_sources').addColumn('sizing', 'text').execute();
  await db.schema.alterTable('site_references').addColumn('element', 'integer').execute();
  await db.schema
    .alterTable('site_references')
    .addColumn('is_size_certain', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
