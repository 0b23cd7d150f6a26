import { type Kysely, type Selectable, sql } from 'kysely';
import type { JobItemTable, JobStatus, JobTable, KeyTable, Tables } from '../schema.ts';

export type Job = Selectable<JobTable>;
/** A job with the mode of the key that it was sent with. */
export type SentJob = Job & { keyMode: KeyTable['mode'] };
/** One image of a job. */
export type JobItem = Selectable<JobItemTable>;

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'pipelineName'
  | 'pipelineVersion'
  | 'outputName'
  | 'steps'
  | 'webhookUrl'
  | 'createdAt'
>;

/** How a job ends. */
export type JobEnd = Pick<Job, 'errorCode' | 'errorMessage'> & {
  status: 'done' | 'failed' | 'cancelled';
  finishedAt: string;
};

/** How many items of a job have a status and, where they have failed, the same code. */
export interface ItemCount {
  status: JobStatus;
  errorCode: string | null;
  /** One of theirs. */
  errorMessage: string | null;
  items: number;
}

/** As the partial indices have it: SQLite takes one only for the same words. */
const isOpen = sql<boolean>`"status" in ('queued', 'running')`;

export class Jobs {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Records a job; its items go into the queue, in the same transaction. */
  async insert(job: NewJob): Promise<void> {
    const open = { errorCode: null, errorMessage: null, startedAt: null, leasedAt: null, finishedAt: null };
    await this.#db
      .insertInto('jobs')
      .values({ ...job, ...open, status: 'queued' })
      .execute();
  }

  async find(id: string): Promise<SentJob | undefined> {
    return await this.#sent().where('jobs.id', '=', id).executeTakeFirst();
  }

  /** The jobs with these ids, as far as they exist, in no order. */
  async some(ids: readonly string[]): Promise<SentJob[]> {
    return await this.#sent().where('jobs.id', 'in', ids).execute();
  }

  /**
   * Ids of the jobs of an account that were made since `time` or have not ended, newest first.
   * @param page which of them
   * @returns and how many there are
   */
  async listedIds(
    accountId: string,
    time: string,
    page: { limit: number; offset: number },
  ): Promise<{ ids: string[]; total: number }> {
    // In two parts: one search for both goes through all jobs of a day, 150 ms for 160,000 that were made and cancelled.
    const recent = this.#db.selectFrom('jobs').where('accountId', '=', accountId).where('createdAt', '>=', time);
    const { jobs } = await recent.select(({ fn }) => fn.countAll<number>().as('jobs')).executeTakeFirstOrThrow();
    const rows = await recent
      .select('id')
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    const older = await this.#openIdsBefore(accountId, time);
    const from = Math.max(0, page.offset - jobs);
    const rest = older.slice(from, from + page.limit - rows.length);
    return { ids: [...rows.map(({ id }) => id), ...rest], total: jobs + older.length };
  }

  /** The few jobs of an account that were made before `time` and have not ended, newest first. */
  async #openIdsBefore(accountId: string, time: string): Promise<string[]> {
    const open = await this.#db
      .selectFrom('jobs')
      .select(['id', 'createdAt'])
      .where('accountId', '=', accountId)
      .where(isOpen)
      .execute();
    return open
      .filter(({ createdAt }) => createdAt < time)
      .sort((one, other) => (one.createdAt + one.id < other.createdAt + other.id ? 1 : -1))
      .map(({ id }) => id);
  }

  /** Items of jobs, of each in their order. */
  async items(jobIds: readonly string[]): Promise<JobItem[]> {
    if (jobIds.length === 0) return [];
    return await this.#db
      .selectFrom('jobItems')
      .selectAll()
      .where('jobId', 'in', jobIds)
      .orderBy('jobId')
      .orderBy('position')
      .execute();
  }

  async item(jobId: string, position: number): Promise<JobItem | undefined> {
    return await this.#db
      .selectFrom('jobItems')
      .selectAll()
      .where('jobId', '=', jobId)
      .where('position', '=', position)
      .executeTakeFirst();
  }

  /** Jobs of an account that wait for their first item to be taken up. */
  async queued(accountId: string): Promise<number> {
    const { jobs } = await this.#db
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('jobs'))
      .where('accountId', '=', accountId)
      .where(isOpen)
      .where('status', '=', 'queued')
      .executeTakeFirstOrThrow();
    return jobs;
  }

  /** All that are known, by status. */
  async countByStatus(): Promise<Partial<Record<JobStatus, number>>> {
    const rows = await this.#db
      .selectFrom('jobs')
      .select(({ fn }) => ['status', fn.countAll<number>().as('jobs')])
      .groupBy('status')
      .execute();
    return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]));
  }

  /** What has become of the items of a job so far. */
  async itemCounts(jobId: string): Promise<ItemCount[]> {
    return await this.#db
      .selectFrom('jobItems')
      .select(({ fn }) => [
        'status',
        'errorCode',
        fn.min('errorMessage').as('errorMessage'),
        fn.countAll<number>().as('items'),
      ])
      .where('jobId', '=', jobId)
      .groupBy(['status', 'errorCode'])
      .execute();
  }

  /** Ends a job; what is left of its items is cancelled. False when it had ended already. To be called in a transaction. */
  async end(id: string, end: JobEnd): Promise<boolean> {
    const row = await this.#db
      .updateTable('jobs')
      .set(end)
      .where('id', '=', id)
      .where(isOpen)
      .returning('id')
      .executeTakeFirst();
    if (!row) return false;
    await this.#db
      .updateTable('jobItems')
      .set({ status: 'cancelled', leaseUntil: null, nextAttemptAt: null, finishedAt: end.finishedAt })
      .where('jobId', '=', id)
      .where(isOpen)
      .execute();
    return true;
  }

  /** Ids of the jobs that have not ended. */
  async openIds(): Promise<string[]> {
    const rows = await this.#db.selectFrom('jobs').select('id').where(isOpen).execute();
    return rows.map(({ id }) => id);
  }

  /** Names of the private files that items which have not ended still need. */
  async openSources(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('jobItems')
      .select('source')
      .where(isOpen)
      .where('sourceKind', '=', 'file')
      .execute();
    return rows.map(({ source }) => source);
  }

  /** Forgets the jobs that ended at or before `time`, with their items. */
  async forget(time: string): Promise<void> {
    await this.#db.deleteFrom('jobs').where('finishedAt', '<=', time).execute();
  }

  #sent() {
    return this.#db
      .selectFrom('jobs')
      .innerJoin('keys', 'keys.id', 'jobs.keyId')
      .selectAll('jobs')
      .select('keys.mode as keyMode');
  }
}
