import { sql } from 'kysely';
import type { ItemCount, JobEnd, Jobs, NewJob } from '../../ports/jobs.ts';
import type { JobItem, JobStatus, SentJob } from '../../records/jobs.ts';
import { count, Repository } from '../repository.ts';

/** In the exact wording of the partial indices: SQLite uses such an index only for identical conditions. */
const isOpen = sql<boolean>`"status" in ('queued', 'running')`;

export class SqlJobs extends Repository implements Jobs {
  async insert(job: NewJob): Promise<void> {
    const open = { errorCode: null, errorMessage: null, startedAt: null, leasedAt: null, finishedAt: null };
    await this.db
      .insertInto('jobs')
      .values({ ...job, ...open, status: 'queued' })
      .execute();
  }

  async find(id: string): Promise<SentJob | undefined> {
    return await this.#sent().where('jobs.id', '=', id).executeTakeFirst();
  }

  async some(ids: readonly string[]): Promise<SentJob[]> {
    return await this.#sent().where('jobs.id', 'in', ids).execute();
  }

  async listedIds(
    accountId: string,
    time: string,
    page: { limit: number; offset: number },
  ): Promise<{ ids: string[]; total: number }> {
    // Two queries: a single one would read all jobs of a day, which takes 150 ms for 160,000 jobs that were created and
    // cancelled.
    const recent = this.db.selectFrom('jobs').where('accountId', '=', accountId).where('createdAt', '>=', time);
    const jobs = await count(recent);
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
    const open = await this.db
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

  async items(jobIds: readonly string[]): Promise<JobItem[]> {
    if (jobIds.length === 0) return [];
    return await this.db
      .selectFrom('jobItems')
      .selectAll()
      .where('jobId', 'in', jobIds)
      .orderBy('jobId')
      .orderBy('position')
      .execute();
  }

  async item(jobId: string, position: number): Promise<JobItem | undefined> {
    return await this.db
      .selectFrom('jobItems')
      .selectAll()
      .where('jobId', '=', jobId)
      .where('position', '=', position)
      .executeTakeFirst();
  }

  async queued(accountId: string): Promise<number> {
    return await count(
      this.db.selectFrom('jobs').where('accountId', '=', accountId).where(isOpen).where('status', '=', 'queued'),
    );
  }

  async countByStatus(): Promise<Partial<Record<JobStatus, number>>> {
    const rows = await this.db
      .selectFrom('jobs')
      .select(({ fn }) => ['status', fn.countAll<number>().as('jobs')])
      .groupBy('status')
      .execute();
    return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]));
  }

  async itemCounts(jobId: string): Promise<ItemCount[]> {
    return await this.db
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

  async end(id: string, end: JobEnd): Promise<boolean> {
    const row = await this.db
      .updateTable('jobs')
      .set(end)
      .where('id', '=', id)
      .where(isOpen)
      .returning('id')
      .executeTakeFirst();
    if (!row) return false;
    await this.db
      .updateTable('jobItems')
      .set({ status: 'cancelled', leaseUntil: null, nextAttemptAt: null, finishedAt: end.finishedAt })
      .where('jobId', '=', id)
      .where(isOpen)
      .execute();
    return true;
  }

  async openIds(): Promise<string[]> {
    const rows = await this.db.selectFrom('jobs').select('id').where(isOpen).execute();
    return rows.map(({ id }) => id);
  }

  async openSources(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('jobItems')
      .select('source')
      .where(isOpen)
      .where('sourceKind', '=', 'file')
      .execute();
    return rows.map(({ source }) => source);
  }

  async forget(time: string): Promise<void> {
    await this.db.deleteFrom('jobs').where('finishedAt', '<=', time).execute();
  }

  #sent() {
    return this.db
      .selectFrom('jobs')
      .innerJoin('keys', 'keys.id', 'jobs.keyId')
      .selectAll('jobs')
      .select('keys.mode as keyMode');
  }
}
