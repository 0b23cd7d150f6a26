/**
 * The queue of what jobs have to do, item by item. It lies in the tables of the jobs, so that what an item leads to is
 * kept together with its end. An engine with tables of its own in the same database can stand behind the interface.
 */
import { type Kysely, sql } from 'kysely';
import { prepared } from './prepared.ts';
import type { Job, JobItem } from './repositories/jobs.ts';
import type { Tables } from './schema.ts';

export type NewJobItem = Pick<JobItem, 'sourceKind' | 'source' | 'filename'>;

/** An item in somebody's hands. It is his until the lease ends, and no longer when its number of attempts has changed. */
export type Lease = Pick<JobItem, 'jobId' | 'position' | 'attempts'>;

/** What a finished item has led to. */
export type ItemDone = Pick<JobItem, 'fileId' | 'result' | 'originalBytes' | 'bytes' | 'requests' | 'ai'> & {
  finishedAt: string;
};

export interface ItemFailed {
  errorCode: string;
  errorMessage: string;
  finishedAt: string;
}

/** Every method belongs into a transaction: each is several changes, or one that others must be kept together with. */
export interface JobQueue {
  /** Puts the items of a new job in, in their order. */
  enqueue(jobId: string, items: readonly NewJobItem[]): Promise<void>;
  /**
   * Takes the next item up, which counts as an attempt: of the account with the fewest in work, then of the one that has
   * waited longest, then of its oldest job. Undefined when none is due.
   * @param runningJobs most that an account may have running at a time
   */
  lease(options: {
    now: string;
    until: string;
    runningJobs: number;
  }): Promise<{ job: Job; item: JobItem; started: boolean } | undefined>;
  /** Lengthens a lease. False when it has ended. */
  extend(lease: Lease, until: string): Promise<boolean>;
  /** Ends an item well. False when the lease has ended, and then nothing may be kept of what it has led to. */
  complete(lease: Lease, done: ItemDone): Promise<boolean>;
  /** Ends an item badly. False when the lease has ended. */
  fail(lease: Lease, failed: ItemFailed): Promise<boolean>;
  /**
   * Puts an item back, as if it had not been tried.
   * @param notBefore when it may be taken up again; null at once
   */
  giveBack(lease: Lease, notBefore: string | null): Promise<void>;
  /**
   * Puts back what nobody works on any more, each with its attempts counted.
   * @param endedBefore leases that had ended by then; undefined for all, at the start, when nobody works
   * @returns the items that have been tried `mostAttempts` times; they stay as they are
   */
  recover(options: { endedBefore: string | undefined; mostAttempts: number }): Promise<Lease[]>;
}

/** In the words of the partial indices: SQLite takes one only for the same words. */
const OPEN = sql<boolean>`job_items.status in ('queued', 'running')`;
const RUNNING = sql<boolean>`job_items.status = 'running'`;
const OPEN_JOB = sql<boolean>`jobs.status in ('queued', 'running')`;

/** Of one statement: SQLite allows it 32,766 values. */
const INSERTED_ROWS = 500;

/** The accounts with open jobs, in the order of their turns. */
const nextAccounts = prepared((db) =>
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
          fn.max('jobs.leasedAt').as('leasedAt'),
          fn.min('jobs.id').as('oldestJob'),
          sql<number>`sum(case when jobs.status = 'running' then 1 else 0 end)`.as('runningJobs'),
        ])
        .where(OPEN_JOB)
        .groupBy('jobs.accountId'),
    )
    .selectFrom('standing')
    .leftJoin('working', 'working.accountId', 'standing.accountId')
    .select(['standing.accountId', 'standing.runningJobs'])
    .orderBy(({ fn, lit }) => fn.coalesce('working.items', lit(0)))
    .orderBy(({ fn, val }) => fn.coalesce('standing.leasedAt', val('')))
    .orderBy('standing.oldestJob'),
);

/** The oldest job of an account that has an item due: among the running ones or, where another may run, among all. */
const nextJob = prepared((db, { accountId, mayStart, now }: { accountId: string; mayStart: number; now: string }) =>
  db
    .selectFrom('jobs')
    .select(['jobs.id', 'jobs.status'])
    .where('jobs.accountId', '=', accountId)
    .where(OPEN_JOB)
    .where(({ eb, or, val }) => or([eb('jobs.status', '=', 'running'), eb(val(mayStart), '=', 1)]))
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
    .orderBy('jobs.id')
    .limit(1),
);

const takeItem = prepared((db, { jobId, now, until }: { jobId: string; now: string; until: string }) =>
  db
    .updateTable('jobItems')
    .set(({ eb }) => ({ status: 'running', attempts: eb('attempts', '+', 1), leaseUntil: until, nextAttemptAt: null }))
    .where('jobId', '=', jobId)
    .where('position', '=', ({ selectFrom }) =>
      selectFrom('jobItems')
        .select('jobItems.position')
        .where('jobItems.jobId', '=', jobId)
        .where(OPEN)
        .where('jobItems.status', '=', 'queued')
        .where(({ eb, or }) => or([eb('jobItems.nextAttemptAt', 'is', null), eb('jobItems.nextAttemptAt', '<=', now)]))
        .orderBy('jobItems.position')
        .limit(1),
    )
    .returningAll(),
);

export class SqliteJobQueue implements JobQueue {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

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
      await this.#db
        .insertInto('jobItems')
        .values(rows.slice(start, start + INSERTED_ROWS))
        .execute();
  }

  async lease({ now, until, runningJobs }: { now: string; until: string; runningJobs: number }) {
    const next = await this.#nextJob(now, runningJobs);
    if (!next) return undefined;
    const [item] = await takeItem(this.#db, { jobId: next.id, now, until });
    const job = await this.#db
      .updateTable('jobs')
      .set(({ fn, val }) => ({ status: 'running', leasedAt: now, startedAt: fn.coalesce('startedAt', val(now)) }))
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { job, item: item!, started: next.status === 'queued' };
  }

  async #nextJob(now: string, mostRunning: number) {
    for (const { accountId, runningJobs } of await nextAccounts(this.#db, {})) {
      const mayStart = runningJobs < mostRunning ? 1 : 0;
      const [job] = await nextJob(this.#db, { accountId, mayStart, now });
      if (job) return job;
    }
    return undefined;
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
    const attempts = lease.attempts - 1;
    await this.#change(lease, { status: 'queued', attempts, leaseUntil: null, nextAttemptAt: notBefore });
  }

  async recover({ endedBefore, mostAttempts }: { endedBefore: string | undefined; mostAttempts: number }) {
    const lost = await this.#db
      .selectFrom('jobItems')
      .select(['jobId', 'position', 'attempts'])
      .where(RUNNING)
      .$if(endedBefore !== undefined, (query) => query.where('leaseUntil', '<=', endedBefore!))
      .orderBy('jobId')
      .orderBy('position')
      .execute();
    const worn = lost.filter(({ attempts }) => attempts >= mostAttempts);
    for (const lease of lost.filter(({ attempts }) => attempts < mostAttempts))
      await this.#change(lease, { status: 'queued', leaseUntil: null });
    if (endedBefore === undefined)
      await this.#db.updateTable('jobs').set({ status: 'queued' }).where(OPEN_JOB).execute();
    return worn;
  }

  async #change({ jobId, position, attempts }: Lease, changes: Partial<JobItem>): Promise<boolean> {
    const row = await this.#db
      .updateTable('jobItems')
      .set(changes)
      .where('jobId', '=', jobId)
      .where('position', '=', position)
      .where('attempts', '=', attempts)
      .where('status', '=', 'running')
      .returning('position')
      .executeTakeFirst();
    return row !== undefined;
  }
}
