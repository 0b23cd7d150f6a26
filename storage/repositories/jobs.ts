import { type Kysely, type Selectable, sql } from 'kysely';
import type { JobItemTable, JobStatus, JobTable, KeyTable, Tables } from '../schema.ts';

export type Job = Selectable<JobTable>;
/** A job with the mode of the key that sent it. */
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

/** The end of a job. */
export type JobEnd = Pick<Job, 'errorCode' | 'errorMessage'> & {
  status: 'done' | 'failed' | 'cancelled';
  finishedAt: string;
};

/** The number of items of a job with the same status and error code. */
export interface ItemCount {
  status: JobStatus;
  errorCode: string | null;
  /** The message of one of them. */
  errorMessage: string | null;
  items: number;
}

/** In the exact wording of the partial indices: SQLite uses such an index only for identical conditions. */
const isOpen = sql<boolean>`"status" in ('queued', 'running')`;

export class Jobs {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Records a job. Its items must be added to the queue in the same transaction. */
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

  /** Those of the jobs with these ids that exist, in no particular order. */
  async some(ids: readonly string[]): Promise<SentJob[]> {
    return await this.#sent().where('jobs.id', 'in', ids).execute();
  }

  /**
   * Ids of the jobs of an account that were created since `time` or have not ended, newest first.
   * @param page the range to return
   * @returns the ids and the total number
   */
  async listedIds(
    accountId: string,
    time: string,
    page: { limit: number; offset: number },
  ): Promise<{ ids: string[]; total: number }> {
    // Two queries: a single one would read all jobs of a day, which takes 150 ms for 160,000 jobs that were created and
    // cancelled.
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

  /** The few jobs of an account that were created before `time` and have not ended, newest first. */
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

  /** Items of several jobs, in order within each job. */
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

  /** Number of jobs of an account whose first item has not started. */
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

  /** Number of all jobs, by status. */
  async countByStatus(): Promise<Partial<Record<JobStatus, number>>> {
    const rows = await this.#db
      .selectFrom('jobs')
      .select(({ fn }) => ['status', fn.countAll<number>().as('jobs')])
      .groupBy('status')
      .execute();
    return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]));
  }

  /** Number of items of a job, by their present status. */
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

  /** Ends a job and cancels its remaining items. False when it had already ended. Must be called in a transaction. */
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

  /** Names of the private files that unfinished items still need. */
  async openSources(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('jobItems')
      .select('source')
      .where(isOpen)
      .where('sourceKind', '=', 'file')
      .execute();
    return rows.map(({ source }) => source);
  }

  /** Deletes the jobs that ended at or before `time`, with their items. */
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
