/**
 * Says that this process lives, and ends what processes have left that do not live any more. A process that is silent
 * for a while counts as ended. If it was only stopped for so long, it comes back with nothing claimed.
 */

import { type Kysely, sql } from 'kysely';
import type { Presence } from '../ports/processes.ts';
import type { Tables } from '../sql/schema.ts';
import type { OwnTables } from './tables.ts';

const RENEWAL_MS = 5000;

/** A process that has not been seen for so long has ended. */
const LIFETIME_SECONDS = 30;

type InTransaction = <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/**
 * @param inTransaction runs `work` in a transaction that has the lock of those that write
 * @throws Failure when the database does not answer
 */
export async function joinDatabase(
  db: Kysely<Tables>,
  inTransaction: InTransaction,
  processId: string,
): Promise<Presence> {
  const say = async () => {
    const { numUpdatedRows } = await db
      .withTables<OwnTables>()
      .updateTable('processes')
      .set({ seenAt: sql`clock_timestamp()` })
      .where('id', '=', processId)
      .executeTakeFirstOrThrow();
    // At the start, or after the others have taken this process for ended.
    if (numUpdatedRows === 0n)
      await inTransaction(async (transaction) => {
        await transaction
          .withTables<OwnTables>()
          .insertInto('processes')
          .values({ id: processId, seenAt: sql`clock_timestamp()` })
          .execute();
      });
  };
  const renew = async () => {
    await say();
    for (const id of await endedProcesses(db)) await inTransaction((transaction) => endProcess(transaction, id));
  };
  await renew();
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // While the database is away nobody can take this process for ended.
    renewing = renewing.then(renew).catch(() => {});
  }, RENEWAL_MS);
  timer.unref();
  return {
    leave: async () => {
      clearInterval(timer);
      await renewing;
      await inTransaction((transaction) => endProcess(transaction, processId)).catch(() => {
        // The others see that it has ended.
      });
    },
  };
}

/** After a restart of the server, its processes have had no chance to be seen for a while. */
async function endedProcesses(db: Kysely<Tables>): Promise<string[]> {
  const limit = sql<Date>`clock_timestamp() - ${sql.lit(`${LIFETIME_SECONDS} seconds`)}::interval`;
  const rows = await db
    .withTables<OwnTables>()
    .selectFrom('processes')
    .select('id')
    .where('seenAt', '<', limit)
    .where(sql<Date>`pg_postmaster_start_time()`, '<', limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Releases all that a process has reserved and claimed. */
async function endProcess(transaction: Kysely<Tables>, id: string): Promise<void> {
  const db = transaction.withTables<OwnTables>();
  // For the triggers of `meters`: these changes are of that process.
  await sql`select set_config('imagecrew.process', ${id}, true)`.execute(db);
  await db
    .updateTable('meters')
    .from('meterReservations as held')
    .set(({ eb, ref }) => ({
      reservedRequests: eb('meters.reservedRequests', '-', ref('held.requests')),
      reservedAi: eb('meters.reservedAi', '-', ref('held.ai')),
    }))
    .where('held.processId', '=', id)
    .whereRef('held.subject', '=', 'meters.subject')
    .whereRef('held.period', '=', 'meters.period')
    .execute();
  await db.deleteFrom('meterReservations').where('processId', '=', id).execute();
  await db.deleteFrom('processes').where('id', '=', id).execute();
}
