import type { Kysely } from 'kysely';

/** Stores the widths and formats of pipelines with several results, as JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['pipelines', 'jobs']) await db.schema.alterTable(table).addColumn('outputs', 'text').execute();
}
