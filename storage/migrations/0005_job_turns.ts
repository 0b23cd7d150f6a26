import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // What names a lease. `attempts` did until now, and so counted items that had only been taken up.
  await db.schema
    .alterTable('job_items')
    .addColumn('leases', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // The last turn of an account, also of its jobs that have ended: found without reading all jobs of a day.
  await db.schema.createIndex('jobs_leased_at').on('jobs').columns(['account_id', 'leased_at']).execute();
}
