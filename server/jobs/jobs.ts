/** Accepts, finds and cancels the jobs of accounts. runner.ts runs them. */

import type { Events, OpenEvents } from '../../base/events.ts';
import type { Page } from '../../base/paging.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { OpenFileStore } from '../../storage/ports/file-store.ts';
import type { NewJobItem } from '../../storage/ports/job-queue.ts';
import type { NewJob } from '../../storage/ports/jobs.ts';
import type { SentJob } from '../../storage/records/jobs.ts';
import type { Config } from '../config.ts';
import type { Caller } from '../http/context.ts';
import { CANCELLED, endJob } from './end.ts';
import { idempotencyInProgress, idempotencyKeyReused, jobNotFound, tooManyJobs } from './errors.ts';
import type { JobEvent } from './events.ts';
import { JobSources } from './sources.ts';

/** The list covers the last hour (docs/spec/interface.md, "Limits"). */
const MAX_LISTED_AGE_MS = 3_600_000;

/** How long a job stays readable after its end, and an Idempotency-Key stays known (docs/spec/shapes.md, section 10.3). */
const RETENTION_MS = 24 * 3_600_000;

export interface JobRequest {
  /** Created by the caller, who may have stored sources under it. */
  id: string;
  pipeline: Pick<NewJob, 'pipelineName' | 'pipelineVersion' | 'outputName' | 'steps' | 'outputs'>;
  items: readonly NewJobItem[];
  webhookUrl: string | null;
  idempotency?: IdempotentRequest;
}

export interface IdempotentRequest {
  key: string;
  /** Hash of everything that identifies the request. */
  hash: string;
}

export interface JobsOptions {
  database: Database;
  config: Pick<Config, 'jobsQueued'>;
  /** Opens the store of the sources of jobs. */
  openFiles: OpenFileStore;
  openEvents: OpenEvents;
  /** Returns the public address of the service. Call it only once that is known. */
  baseUrl: () => string;
  /** Returns the current time in milliseconds. */
  now?: () => number;
}

export class Jobs {
  readonly events: Events<JobEvent>;
  readonly sources: JobSources;
  readonly #database: Database;
  readonly #queued: number;
  readonly #baseUrl: () => string;
  readonly #now: () => number;
  /** Claims on the Idempotency-Keys of the requests that this process is accepting. */
  readonly #accepting = new Set<string>();

  private constructor(options: JobsOptions, sources: JobSources) {
    const { database, config, openEvents, baseUrl, now = Date.now } = options;
    this.events = openEvents('jobs', ({ jobId }) => jobId);
    this.sources = sources;
    this.#database = database;
    this.#queued = config.jobsQueued;
    this.#baseUrl = baseUrl;
    this.#now = now;
  }

  static async open(options: JobsOptions): Promise<Jobs> {
    const { database, openFiles, now } = options;
    return new Jobs(options, await JobSources.open(openFiles, database.jobs, now));
  }

  /**
   * Claims an Idempotency-Key while its request is being received and accepted.
   * @returns a function that ends the claim
   * @throws Failure 409 `idempotency_in_progress`
   */
  async claim(accountId: string, key: string): Promise<() => Promise<void>> {
    const claim = `idempotency ${accountId} ${key}`;
    if (this.#accepting.has(claim)) throw idempotencyInProgress();
    this.#accepting.add(claim);
    const end = () => this.#database.claims.release(claim).finally(() => this.#accepting.delete(claim));
    try {
      if (!(await this.#database.claims.take(claim))) throw idempotencyInProgress();
    } catch (error) {
      this.#accepting.delete(claim);
      throw error;
    }
    return end;
  }

  /**
   * Returns the job that the same request has created before, if any.
   * @throws Failure 422 `idempotency_key_reused`
   */
  async replayed(accountId: string, { key, hash }: IdempotentRequest): Promise<SentJob | undefined> {
    const known = await this.#database.idempotencyKeys.find(accountId, key, this.#timestampBefore(RETENTION_MS));
    if (!known) return undefined;
    if (known.requestHash !== hash) throw idempotencyKeyReused();
    return await this.#database.jobs.find(known.jobId);
  }

  /**
   * Stores a job. From here on it will be run even if the process is killed.
   * @throws Failure 429 `too_many_jobs`
   */
  async accept({ account, key }: Caller, request: JobRequest): Promise<SentJob> {
    const { id, pipeline, items, webhookUrl, idempotency } = request;
    const createdAt = timestamp(this.#now());
    const owner = { accountId: account.id, keyId: key.id };
    const job = await this.#database.transaction(async ({ jobs, jobQueue, idempotencyKeys }) => {
      if ((await jobs.queued(account.id)) >= this.#queued) throw tooManyJobs(this.#queued);
      await jobs.insert({ id, ...owner, ...pipeline, webhookUrl, createdAt });
      await jobQueue.enqueue(id, items);
      if (idempotency)
        await idempotencyKeys.insert({
          accountId: account.id,
          key: idempotency.key,
          requestHash: idempotency.hash,
          jobId: id,
          createdAt,
        });
      return await jobs.find(id);
    });
    this.events.emit({ type: 'accepted', jobId: id });
    return job!;
  }

  /** @throws Failure `not_found`, also for a job of another account */
  async find(accountId: string, id: string): Promise<SentJob> {
    const job = await this.#database.jobs.find(id);
    if (job?.accountId !== accountId) throw jobNotFound(id);
    return job;
  }

  /**
   * Returns the ids of the jobs of the last hour and of older ones
   * that have not ended, newest first, and their total number.
   */
  async listedIds(accountId: string, page: Page): Promise<{ ids: string[]; total: number }> {
    return await this.#database.jobs.listedIds(accountId, this.#timestampBefore(MAX_LISTED_AGE_MS), page);
  }

  /**
   * Cancels a job. A job that has ended does not change. Finished images keep their results.
   * @throws Failure `not_found`
   */
  async cancel(accountId: string, id: string): Promise<SentJob> {
    await this.find(accountId, id);
    const now = timestamp(this.#now());
    const cancelled = await this.#database.transaction((repositories) =>
      endJob(repositories, id, CANCELLED, now, this.#baseUrl()),
    );
    if (cancelled) this.events.emit({ type: 'ended', jobId: id });
    return await this.find(accountId, id);
  }

  /** Removes the sources that a crash has left behind. */
  async removeOrphanFiles(): Promise<void> {
    await this.sources.removeOrphanFiles();
  }

  /** Removes sources older than an hour, and jobs and Idempotency-Keys older than a day. */
  async sweep(): Promise<void> {
    await this.sources.sweep();
    const time = this.#timestampBefore(RETENTION_MS);
    await this.#database.idempotencyKeys.forget(time);
    await this.#database.jobs.forget(time);
  }

  #timestampBefore(milliseconds: number): string {
    return timestamp(this.#now() - milliseconds);
  }
}
