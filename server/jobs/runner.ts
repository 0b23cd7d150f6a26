/**
 * Runs the queue of jobs in the background. The result and the end of an item are stored in one transaction, so a
 * killed process loses no accepted job, processes no finished image twice and charges each once.
 */

import { setImmediate } from 'node:timers/promises';
import { CoalescingTask } from '../../base/coalescing-task.ts';
import { Failure, internalError } from '../../base/failure.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import type { Lease } from '../../storage/ports/job-queue.ts';
import type { Job, JobItem } from '../../storage/records/jobs.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { endIfComplete } from './end.ts';
import { interrupted } from './errors.ts';
import { type ExecuteItem, type ItemEnd, type ItemPhase, type ItemServices, LeaseLost, runItem } from './item.ts';
import { MAX_SOURCE_AGE_MS } from './sources.ts';
import { WorkLock } from './work-lock.ts';

/** How often the process may be killed while a worker is busy with an item (docs/spec/shapes.md, section 10.2). */
const MAX_ATTEMPTS = 3;

/** A lease lasts much longer than its renewal interval, so only abandoned items lose theirs. */
const LEASE_MS = 60_000;
const LEASE_RENEWAL_MS = 15_000;

/** Sources fetched at a time, so that workers have enough to do. */
const MAX_FETCHES = 8;
/** A fetch that takes longer is slow. It no longer counts towards MAX_FETCHES, so another one starts. */
const SLOW_FETCH_MS = 2000;
/** Slow sources of one job: a hundred slow addresses must not delay its other images or other jobs. */
const MAX_SLOW_FETCHES_PER_JOB = 16;
/**
 * Slow sources of all jobs. Above this a job may still have MIN_SLOW_FETCHES_PER_JOB, so that every job makes progress.
 */
const MAX_SLOW_FETCHES = 128;
const MIN_SLOW_FETCHES_PER_JOB = 2;
/** Results being written at a time. Each is in memory until it is written. */
const MAX_WRITES = 8;

/** Temporary failures of the service. */
const TEMPORARY_ERRORS: ReadonlySet<string> = new Set(['overloaded', 'shutting_down']);
const RETRY_DELAY_MS = 1000;

/**
 * If the storage is full, an image is retried after this time, which doubles each time: results expire within an hour.
 * The image fails if its job would then be older than uploads are kept.
 */
const STORAGE_RETRY_MS = 15_000;
const MAX_STORAGE_RETRY_MS = 600_000;

/** Why an item being processed was stopped. */
type Stop = 'stopping' | 'ended';

interface RunningItem {
  job: Job;
  item: JobItem;
  controller: AbortController;
  phase: ItemPhase;
  /** Whether its source is slow. */
  isSlow: boolean;
  ended: Promise<void>;
}

export interface RunnerOptions {
  services: ItemServices & { config: Pick<Config, 'workers' | 'jobsRunning'> };
  execute: ExecuteItem;
  log: Log;
  /** Default: 2 seconds. */
  slowFetchMs?: number;
}

export class JobRunner {
  readonly #services: RunnerOptions['services'];
  readonly #execute: ExecuteItem;
  readonly #log: Log;
  readonly #slowFetchMs: number;
  readonly #lock = new WorkLock();
  readonly #inWork = new Set<RunningItem>();
  /** Removals of sources that are no longer needed. */
  readonly #removing = new Set<Promise<void>>();
  readonly #filling: CoalescingTask;
  readonly #unwatch: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** True between recovery and stop. Recovery would treat an item taken before it as left by a killed process. */
  #running = false;

  constructor({ services, execute, log, slowFetchMs = SLOW_FETCH_MS }: RunnerOptions) {
    this.#services = services;
    this.#execute = execute;
    this.#log = log;
    this.#slowFetchMs = slowFetchMs;
    this.#filling = new CoalescingTask(
      () => this.#startItems(),
      (error) => log.error({ err: error }, 'no image of a job could be taken up'),
    );
    this.#unwatch = services.jobs.events.watchAll(({ type, jobId }) => {
      if (type === 'accepted') this.wake();
      if (type === 'ended') this.#stopJob(jobId);
    });
  }

  /** Recovers the items that an earlier process has left, and runs new ones from now on. */
  async start(): Promise<void> {
    await this.#recover(true);
    this.#running = true;
    this.#timer = setInterval(() => void this.#tick(), LEASE_RENEWAL_MS);
    this.#timer.unref();
    this.wake();
  }

  /** Takes as many items as there is room for. */
  wake(): void {
    void this.#filling.ask();
  }

  /** Returns the items in progress to the queue. Resolves when none is left. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#unwatch();
    clearInterval(this.#timer);
    await this.#filling.end();
    for (const { controller } of this.#inWork) controller.abort('stopping' satisfies Stop);
    await Promise.all([...this.#inWork].map(({ ended }) => ended));
    await Promise.all(this.#removing);
  }

  async #startItems(): Promise<void> {
    // Statements run synchronously. Without this, other work would wait until all items have been taken.
    do await setImmediate();
    while (this.#running && (await this.#startNext()));
  }

  /**
   * The items that may be taken. One item more than there are workers is in progress, so that no worker waits for the
   * next. More are taken only to fetch their sources while workers are idle.
   */
  get #capacity(): { hasPlace: boolean; stalled: Job[]; mayFetch: (jobId: string) => boolean } {
    const { workers } = this.#services.config;
    const all = [...this.#inWork];
    const isFetching = ({ phase, item }: RunningItem) => phase === 'source' && item.sourceKind === 'url';
    const writing = all.filter(({ phase }) => phase === 'keep').length;
    const slow = all.filter((work) => isFetching(work) && work.isSlow).map(({ job }) => job);
    const fetching = all.filter((work) => isFetching(work) && !work.isSlow).length;
    const ahead = all.length - writing - slow.length - fetching;
    const hasPlace = writing <= MAX_WRITES && (ahead + fetching <= workers || ahead < workers);
    const mostSlow = slow.length < MAX_SLOW_FETCHES ? MAX_SLOW_FETCHES_PER_JOB : MIN_SLOW_FETCHES_PER_JOB;
    const mayFetch = (jobId: string) =>
      (fetching < MAX_FETCHES || ahead + fetching <= workers) &&
      slow.filter(({ id }) => id === jobId).length < mostSlow;
    return { hasPlace, stalled: slow, mayFetch };
  }

  async #startNext(): Promise<boolean> {
    const { hasPlace, ...room } = this.#capacity;
    if (!hasPlace) return false;
    const now = this.#services.now();
    const taken = await this.#services.database.transaction(({ jobQueue }) =>
      jobQueue.lease({
        now: timestamp(now),
        until: timestamp(now + LEASE_MS),
        runningJobs: this.#services.config.jobsRunning,
        ...room,
      }),
    );
    if (!taken) return false;
    const { job, item, started } = taken;
    if (started) this.#services.jobs.events.emit({ type: 'started', jobId: job.id });
    const work: RunningItem = {
      job,
      item,
      controller: new AbortController(),
      phase: 'source',
      isSlow: false,
      ended: Promise.resolve(),
    };
    this.#inWork.add(work);
    work.ended = this.#work(work).finally(() => {
      this.#inWork.delete(work);
      this.wake();
    });
    return true;
  }

  async #work(work: RunningItem): Promise<void> {
    const { job, item, controller } = work;
    const startedAt = performance.now();
    const note = (details: object) => {
      const duration = Math.round(performance.now() - startedAt);
      this.#log.info({ ...shown(job, item), ...details, duration_ms: duration }, 'image of a job');
    };
    const slow = setTimeout(() => {
      work.isSlow = true;
      this.wake();
    }, this.#slowFetchMs).unref();
    const onPhase = (phase: ItemPhase) => {
      clearTimeout(slow);
      work.phase = phase;
      this.wake();
    };
    let begun: Promise<void> | undefined;
    const onStart = () => {
      begun ??= this.#countAttempt(work);
    };
    try {
      const itemWork = { job, item, signal: controller.signal, lock: this.#lock, onPhase, onStart };
      const { bytesIn, bytesOut, outcome, jobEnded } = await runItem(itemWork, this.#services, this.#execute);
      note({ status: 'done', bytes_in: bytesIn, bytes_out: bytesOut, outcome });
      this.#emitEnd(item, jobEnded);
    } catch (error) {
      await this.#afterFailure(work, error, note).catch((fault) =>
        // Its lease will expire, and it is retried.
        this.#log.error({ err: fault, ...shown(job, item) }, 'the end of an image of a job could not be kept'),
      );
    } finally {
      clearTimeout(slow);
      await begun;
    }
  }

  /** Counts an attempt before the work, so that it is counted even if the process is killed during the work. */
  async #countAttempt({ job, item }: RunningItem): Promise<void> {
    try {
      await this.#services.database.transaction(({ jobQueue }) => jobQueue.begin(item));
    } catch (error) {
      this.#log.error({ err: error, ...shown(job, item) }, 'an attempt at an image of a job could not be counted');
    }
  }

  async #afterFailure(work: RunningItem, error: unknown, note: (details: object) => void): Promise<void> {
    const { job, item, controller } = work;
    if (error instanceof LeaseLost || controller.signal.reason === ('ended' satisfies Stop)) {
      note({ status: 'cancelled' });
      return;
    }
    if (controller.signal.aborted) {
      await this.#requeue(item, null);
      note({ status: 'queued' });
      return;
    }
    const failure = error instanceof Failure ? error : internalError(error);
    const delay = this.#retryDelay(work, failure);
    if (delay !== undefined) {
      await this.#requeue(item, timestamp(this.#services.now() + delay));
      setTimeout(() => this.wake(), delay).unref();
      note({ status: 'queued', error: failure.code });
      return;
    }
    if (failure.code === 'internal_error')
      this.#log.error({ err: failure.cause ?? failure, ...shown(job, item) }, 'an image of a job failed by our fault');
    const end = await this.#fail(item, failure);
    note({ status: end ? 'failed' : 'cancelled', error: failure.code });
    if (end) this.#emitEnd(item, end.jobEnded);
  }

  /** Returns the milliseconds until a retry, or undefined if the item has failed. */
  #retryDelay({ job, item }: RunningItem, { code, retryAfter }: Failure): number | undefined {
    if (TEMPORARY_ERRORS.has(code)) return retryAfter === undefined ? RETRY_DELAY_MS : retryAfter * 1000;
    if (code !== 'storage_full') return undefined;
    // `leases` includes earlier attempts, also those before a restart.
    const delay = Math.min(STORAGE_RETRY_MS * 2 ** (item.leases - 1), MAX_STORAGE_RETRY_MS);
    const age = this.#services.now() - Date.parse(job.createdAt);
    return age + delay < MAX_SOURCE_AGE_MS ? delay : undefined;
  }

  /** Returns undefined if this process no longer held the item. */
  async #fail(lease: Lease, failure: Failure): Promise<Pick<ItemEnd, 'jobEnded'> | undefined> {
    const { database, baseUrl } = this.#services;
    const now = timestamp(this.#services.now());
    return await database.transaction(async (repositories) => {
      if (!(await fail(repositories, lease, failure, now))) return undefined;
      return { jobEnded: await endIfComplete(repositories, lease.jobId, now, baseUrl) };
    });
  }

  async #requeue(lease: Lease, notBefore: string | null): Promise<void> {
    await this.#services.database.transaction(({ jobQueue }) => jobQueue.giveBack(lease, notBefore));
  }

  #emitEnd({ jobId, position, sourceKind, source }: JobItem, jobEnded: boolean): void {
    const { events, sources } = this.#services.jobs;
    if (sourceKind === 'file') this.#trackRemoval(sources.remove(source), jobId);
    events.emit({ type: 'item', jobId, position });
    if (!jobEnded) return;
    this.#log.info({ job_id: jobId }, 'a job has ended');
    events.emit({ type: 'ended', jobId });
  }

  /** Stops the items of a job that has ended, and removes its sources. */
  #stopJob(jobId: string): void {
    for (const { job, controller } of this.#inWork) if (job.id === jobId) controller.abort('ended' satisfies Stop);
    this.#trackRemoval(this.#services.jobs.sources.removeAll(jobId), jobId);
  }

  /** A source that cannot be removed now is swept within the hour. */
  #trackRemoval(removing: Promise<void>, jobId: string): void {
    const cleared = removing
      .catch((error) => this.#log.error({ err: error, job_id: jobId }, 'a source of a job could not be removed'))
      .finally(() => this.#removing.delete(cleared));
    this.#removing.add(cleared);
  }

  /** Renews the leases of items in progress, and recovers items with expired leases. */
  async #tick(): Promise<void> {
    try {
      const now = this.#services.now();
      const until = timestamp(now + LEASE_MS);
      for (const { item, controller } of this.#inWork)
        if (!(await this.#services.database.transaction(({ jobQueue }) => jobQueue.extend(item, until))))
          controller.abort('ended' satisfies Stop);
      await this.#recover(false);
    } catch (error) {
      this.#log.error({ err: error }, 'leases of images could not be renewed');
    }
    this.wake();
  }

  /**
   * Puts interrupted items back in the queue and fails those
   * interrupted too often. Other items of the job are not changed.
   * @param isStart nothing of this process is running: without other processes, all leases are abandoned
   */
  async #recover(isStart: boolean): Promise<void> {
    const { database, baseUrl } = this.#services;
    const now = timestamp(this.#services.now());
    const failed = await database.transaction(async (repositories) => {
      const ends: { item: JobItem; jobEnded: boolean }[] = [];
      const endedBefore = isStart && (await repositories.claims.isAlone()) ? undefined : now;
      for (const item of await repositories.jobQueue.recover({ endedBefore, mostAttempts: MAX_ATTEMPTS })) {
        await fail(repositories, item, interrupted(item.attempts), now);
        ends.push({ item, jobEnded: await endIfComplete(repositories, item.jobId, now, baseUrl) });
      }
      return ends;
    });
    for (const { item, jobEnded } of failed) {
      const { jobId: job_id, position: index } = item;
      this.#log.warn({ job_id, index, attempts: item.attempts }, 'an image of a job was interrupted too often');
      this.#emitEnd(item, jobEnded);
    }
  }
}

async function fail(
  { jobQueue }: Pick<Repositories, 'jobQueue'>,
  lease: Lease,
  { code, message }: Failure,
  finishedAt: string,
): Promise<boolean> {
  return await jobQueue.fail(lease, { errorCode: code, errorMessage: message, finishedAt });
}

/** Returns the log fields of an item. Of its URL they contain only the host. */
function shown({ id, accountId, keyId }: Job, { position, sourceKind, source }: JobItem) {
  const host = sourceKind === 'url' && URL.canParse(source) ? new URL(source).host : undefined;
  return { job_id: id, index: position, account_id: accountId, key_id: keyId, source_host: host };
}
