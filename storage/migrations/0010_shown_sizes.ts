import type { Kysely } from 'kysely';

/**
 * What style sheets and pages say of how large images are shown, and whether the size of a place is certain. Of scans that were
 * made before nothing is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('site_sources').addColumn('sizing', 'text').execute();
  await db.schema.alterTable('site_references').addColumn('element', 'integer').execute();
  await db.schema
    .alterTable('site_references')
    .addColumn('is_size_certain', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
