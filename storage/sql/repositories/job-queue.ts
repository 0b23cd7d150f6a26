/** The queue of job items, in the tables of the jobs. */

import { sql } from 'kysely';
import type { ItemDone, ItemFailed, JobQueue, Lease, LeaseOptions, NewJobItem } from '../../ports/job-queue.ts';
import type { JobItem } from '../../records/jobs.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

/** Conditions in the exact wording of the partial indices: SQLite uses such an index only for identical conditions. */
const OPEN = sql<boolean>`job_items.status in ('queued', 'running')`;
const RUNNING = sql<boolean>`job_items.status = 'running'`;
const OPEN_JOB = sql<boolean>`jobs.status in ('queued', 'running')`;

/** Rows inserted by one statement: SQLite allows 32,766 values in it. */
const INSERTED_ROWS = 500;

/** The accounts with open jobs. */
const openAccounts = prepared((db) =>
  db
    .with('working', (on) =>
      on
        .selectFrom('jobItems')
        .innerJoin('jobs', 'jobs.id', 'jobItems.jobId')
        .select(({ fn }) => ['jobs.accountId', fn.countAll<number>().as('items')])
        .where(RUNNING)
        .groupBy('jobs.accountId'),
    )
    .with('standing', (on) =>
      on
        .selectFrom('jobs')
        .select(({ fn }) => [
          'jobs.accountId',
          fn.min('jobs.id').as('oldestJob'),
          fn.min('jobs.createdAt').as('createdAt'),
          sql<number>`sum(case when jobs.status = 'running' then 1 else 0 end)`.as('runningJobs'),
        ])
        .where(OPEN_JOB)
        .groupBy('jobs.accountId'),
    )
    .selectFrom('standing')
    .leftJoin('working', 'working.accountId', 'standing.accountId')
    .select(['standing.accountId', 'standing.runningJobs', 'standing.createdAt', 'standing.oldestJob as id'])
    .select(({ fn, lit, selectFrom }) => [
      fn.coalesce('working.items', lit(0)).as('inWork'),
      // Includes turns of ended jobs: otherwise an account with one short job after another would always be first.
      selectFrom('jobs')
        .select((of) => of.fn.max('jobs.leasedAt').as('leasedAt'))
        .whereRef('jobs.accountId', '=', 'standing.accountId')
        .as('leasedAt'),
    ]),
);

/**
 * The jobs of an account with a due item: first those that are running, then those that ran before a restart. The items
 * of a job are either all addresses or all uploads.
 */
const dueJobs = prepared((db, { accountId, mayStart, now }: { accountId: string; mayStart: number; now: string }) =>
  db
    .selectFrom('jobs')
    .select(['jobs.id', 'jobs.status', 'jobs.leasedAt', 'jobs.createdAt'])
    .select(({ fn, selectFrom }) => [
      selectFrom('jobItems')
        .select(fn.countAll<number>().as('items'))
        .whereRef('jobItems.jobId', '=', 'jobs.id')
        .where(RUNNING)
        .as('inWork'),
      selectFrom('jobItems')
        .select('jobItems.sourceKind')
        .whereRef('jobItems.jobId', '=', 'jobs.id')
        .where('jobItems.position', '=', 0)
        .as('sourceKind'),
    ])
    .where('jobs.accountId', '=', accountId)
    .where(OPEN_JOB)
    .where(({ eb, or, val }) => or([eb('jobs.status', '=', 'running'), eb(val(mayStart), '>', 0)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('jobItems')
          .select('jobItems.position')
          .whereRef('jobItems.jobId', '=', 'jobs.id')
          .where(OPEN)
          .where('jobItems.status', '=', 'queued')
          .where(({ eb, or }) =>
            or([eb('jobItems.nextAttemptAt', 'is', null), eb('jobItems.nextAttemptAt', '<=', now)]),
          ),
      ),
    )
    .orderBy('jobs.status', 'desc')
    .orderBy(sql`jobs.started_at is null`)
    .orderBy('jobs.id'),
);

/** The data that decides the order of accounts, and of the jobs of an account. */
interface QueuePriority {
  id: string;
  inWork: number;
  createdAt: string;
  leasedAt: string | null;
}

/**
 * Orders by fewest running items, then by the longest wait. Before the first turn, the wait counts from the creation,
 * so that new jobs cannot overtake old ones for ever.
 */
function comparePriority(one: QueuePriority, other: QueuePriority): number {
  return (
    one.inWork - other.inWork ||
    compare(one.leasedAt ?? one.createdAt, other.leasedAt ?? other.createdAt) ||
    compare(one.leasedAt ?? '', other.leasedAt ?? '') ||
    compare(one.id, other.id)
  );
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const takeItem = prepared((db, { jobId, now, until }: { jobId: string; now: string; until: string }) =>
  db
    .updateTable('jobItems')
    .set(({ eb }) => ({ status: 'running', leases: eb('leases', '+', 1), leaseUntil: until, nextAttemptAt: null }))
    .where('jobId', '=', jobId)
    .where('position', '=', ({ selectFrom }) =>
      selectFrom('jobItems')
        .select('jobItems.position')
        .where('jobItems.jobId', '=', jobId)
        .where(OPEN)
        .where('jobItems.status', '=', 'queued')
        .where(({ eb, or }) => or([eb('jobItems.nextAttemptAt', 'is', null), eb('jobItems.nextAttemptAt', '<=', now)]))
        // Interrupted items come last: one that crashes the process must not block the others of its job.
        .orderBy('jobItems.attempts')
        .orderBy('jobItems.position')
        .limit(1),
    )
    .returningAll(),
);

export class SqlJobQueue extends Repository implements JobQueue {
  async enqueue(jobId: string, items: readonly NewJobItem[]): Promise<void> {
    const open = {
      leaseUntil: null,
      nextAttemptAt: null,
      fileId: null,
      result: null,
      originalBytes: null,
      bytes: null,
      errorCode: null,
      errorMessage: null,
      finishedAt: null,
    };
    const rows = items.map((item, position) => ({ jobId, position, ...item, ...open, status: 'queued' as const }));
    for (let start = 0; start < rows.length; start += INSERTED_ROWS)
      await this.db
        .insertInto('jobItems')
        .values(rows.slice(start, start + INSERTED_ROWS))
        .execute();
  }

  async lease(options: LeaseOptions) {
    const next = await this.#nextJob(options);
    if (!next) return undefined;
    const { now, until } = options;
    const [item] = await takeItem(this.db, { jobId: next.id, now, until });
    const job = await this.db
      .updateTable('jobs')
      .set(({ fn, val }) => ({ status: 'running', leasedAt: now, startedAt: fn.coalesce('startedAt', val(now)) }))
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { job, item: item!, started: next.status === 'queued' };
  }

  async #nextJob({ now, runningJobs: mostRunning, stalled = [], mayFetch = () => true }: LeaseOptions) {
    const accounts = (await openAccounts(this.db, {})).map((account) => ({
      ...account,
      inWork: account.inWork - stalled.filter(({ accountId }) => accountId === account.accountId).length,
    }));
    for (const { accountId, runningJobs } of accounts.sort(comparePriority)) {
      const mayStart = Math.max(0, mostRunning - runningJobs);
      const due = await dueJobs(this.db, { accountId, mayStart, now });
      const running = due.filter(({ status }) => status === 'running');
      const [job] = due
        .slice(0, running.length + mayStart)
        .filter(({ id, sourceKind }) => sourceKind === 'file' || mayFetch(id))
        .map((each) => ({ ...each, inWork: (each.inWork ?? 0) - stalled.filter(({ id }) => id === each.id).length }))
        .sort(comparePriority);
      if (job) return job;
    }
    return undefined;
  }

  async begin(lease: Lease): Promise<void> {
    await this.#change(lease, { attempts: lease.attempts + 1 });
  }

  async extend(lease: Lease, until: string): Promise<boolean> {
    return await this.#change(lease, { leaseUntil: until });
  }

  async complete(lease: Lease, done: ItemDone): Promise<boolean> {
    return await this.#change(lease, { ...done, status: 'done', leaseUntil: null });
  }

  async fail(lease: Lease, failed: ItemFailed): Promise<boolean> {
    return await this.#change(lease, { ...failed, status: 'failed', leaseUntil: null });
  }

  async giveBack(lease: Lease, notBefore: string | null): Promise<void> {
    const { attempts } = lease;
    await this.#change(lease, { status: 'queued', attempts, leaseUntil: null, nextAttemptAt: notBefore });
  }

  async recover({ endedBefore, mostAttempts }: { endedBefore: string | undefined; mostAttempts: number }) {
    const lost = await this.db
      .selectFrom('jobItems')
      .selectAll()
      .where(RUNNING)
      .$if(endedBefore !== undefined, (query) => query.where('leaseUntil', '<=', endedBefore!))
      .orderBy('jobId')
      .orderBy('position')
      .execute();
    const worn = lost.filter(({ attempts }) => attempts >= mostAttempts);
    for (const lease of lost.filter(({ attempts }) => attempts < mostAttempts))
      await this.#change(lease, { status: 'queued', leaseUntil: null });
    if (endedBefore === undefined)
      await this.db.updateTable('jobs').set({ status: 'queued' }).where(OPEN_JOB).execute();
    return worn;
  }

  async #change({ jobId, position, leases }: Lease, changes: Partial<JobItem>): Promise<boolean> {
    const row = await this.db
      .updateTable('jobItems')
      .set(changes)
      .where('jobId', '=', jobId)
      .where('position', '=', position)
      .where('leases', '=', leases)
      .where('status', '=', 'running')
      .returning('position')
      .executeTakeFirst();
    return row !== undefined;
  }
}
