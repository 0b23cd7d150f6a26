import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Identifies a lease. Previously `attempts` did, and so also counted items that were leased but never started.
  await db.schema
    .alterTable('job_items')
    .addColumn('leases', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // Finds the last turn of an account, including ended jobs, without reading all jobs of a day.
  await db.schema.createIndex('jobs_leased_at').on('jobs').columns(['account_id', 'leased_at']).execute();
}
