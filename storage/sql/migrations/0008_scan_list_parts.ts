import { type Kysely, sql } from 'kysely';

/** Splits the addresses of a list into chunks: reading or writing 5 MB in one row blocks the event loop for 0.1 s. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('site_scan_list_parts')
    .addColumn('scan_id', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('addresses', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_scan_list_parts_key', ['scan_id', 'part'])
    .execute();
  await sql`insert into site_scan_list_parts (scan_id, part, addresses) select scan_id, 0, list from site_scan_lists`.execute(
    db,
  );
  await db.schema.dropTable('site_scan_lists').execute();
}
