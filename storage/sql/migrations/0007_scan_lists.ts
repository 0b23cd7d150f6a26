import { type Kysely, sql } from 'kysely';

/** Moves the list of addresses out of the scan: its 5 MB were read and written with every change of the scan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('site_scan_lists')
    .addColumn('scan_id', 'text', (column) => column.primaryKey())
    .addColumn('list', 'text', (column) => column.notNull())
    .execute();
  await sql`insert into site_scan_lists (scan_id, list) select id, list from site_scans where list is not null`.execute(
    db,
  );
  await db.schema.alterTable('site_scans').dropColumn('list').execute();
}
