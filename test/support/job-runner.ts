/** Runs jobs whose work ends when the test decides. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import { openSqlite } from '../../base/sqlite/open.ts';
import { ONE_REQUEST } from '../../server/account/credits.ts';
import type { Caller } from '../../server/http/context.ts';
import type { JobEvent } from '../../server/jobs/events.ts';
import type { ExecuteItem, ItemTask } from '../../server/jobs/item.ts';
import { type JobRecord, jobRecord, readJobRecord } from '../../server/jobs/record.ts';
import { JobRunner } from '../../server/jobs/runner.ts';
import { JobSources } from '../../server/jobs/sources.ts';
import { createLog } from '../../server/log.ts';
import type { NewJobItem } from '../../storage/ports/job-queue.ts';
import { type TestService, withService } from './service.ts';

export const START = Date.UTC(2026, 10, 21, 5, 20);

/** An image in work. The test decides how it ends. */
interface ItemInWork {
  order: ItemTask;
  source: string;
  finish(): void;
  fail(error: unknown): void;
}

/** A service that runs jobs. Their work ends when the test decides. */
export class RunnerFixture {
  readonly service: TestService;
  readonly clock: { now: number };
  readonly callers: { pro: Caller; test: Caller };
  readonly events: JobEvent[] = [];
  readonly lines: string[] = [];
  /** Whether the test holds all images in work or none. */
  holding = false;
  /** Whether a worker is free for the images in work. */
  starts = true;
  /** Results are padded to this many bytes. */
  resultBytes = 0;
  /** Failures with which images end, by their source text. */
  faults = new Map<string, Failure>();
  readonly held: ItemInWork[] = [];
  /** Maximum number of images in work at the same time. */
  most = 0;
  #working = 0;
  runner: JobRunner;
  #notify: () => void = () => {};

  constructor(service: TestService, clock: { now: number }, callers: RunnerFixture['callers']) {
    this.service = service;
    this.clock = clock;
    this.callers = callers;
    service.services.jobs.events.watchAll((event) => {
      this.events.push(event);
      this.#notify();
    });
    this.runner = this.createRunner();
  }

  createRunner(slowFetchMs?: number): JobRunner {
    const log = createLog('info', {
      write: (line) => {
        this.lines.push(line);
        this.#notify();
      },
    });
    return new JobRunner({
      services: this.service.services,
      execute: this.#execute,
      log,
      ...(slowFetchMs !== undefined && { slowFetchMs }),
    });
  }

  /** Waits until a condition is true. Checks it after every event and log line. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
  }

  /** Waits until an image is in work, then removes it from `held`. */
  async take(source: string): Promise<ItemInWork> {
    const index = () => this.held.findIndex((held) => held.source === source);
    await this.until(() => index() >= 0);
    return this.held.splice(index(), 1)[0]!;
  }

  /** Waits until a job has ended and returns its record. */
  async ended(jobId: string): Promise<JobRecord> {
    await this.until(() => this.events.some((event) => event.type === 'ended' && event.jobId === jobId));
    return await this.record(jobId);
  }

  async record(jobId: string): Promise<JobRecord> {
    const { database, baseUrl } = this.service.services;
    return jobRecord.parse(await readJobRecord(database, jobId, baseUrl));
  }

  get itemsEnded(): number {
    return this.events.filter(({ type }) => type === 'item').length;
  }

  /** How often an image was put back in the queue. */
  get givenBack(): number {
    return this.logged().filter(({ msg, status }) => msg === 'image of a job' && status === 'queued').length;
  }

  async attempts(jobId: string): Promise<number[]> {
    return (await this.service.services.database.jobs.items([jobId])).map(({ attempts }) => attempts);
  }

  /** Leaves the database as a killed process would, then starts the next runner. */
  async kill(): Promise<void> {
    const { database, config } = this.service.services;
    const jobIds = this.events.flatMap(({ type, jobId }) => (type === 'accepted' ? jobId : []));
    const inWork = (await database.jobs.items(jobIds)).filter(({ status }) => status === 'running');
    await this.runner.stop();
    this.held.length = 0;
    const file = openSqlite(join(config.dataDir, 'imagecrew.sqlite'));
    const restore = file.prepare(
      "update job_items set status = 'running', attempts = ?, lease_until = ? where job_id = ? and position = ?",
    );
    for (const { attempts, leaseUntil, jobId, position } of inWork) restore.run(attempts, leaseUntil, jobId, position);
    file.close();
    this.runner = this.createRunner();
    await this.runner.start();
  }

  /** Accepts a job with one upload per text. */
  async send(texts: readonly string[], caller = this.callers.pro, webhookUrl: string | null = null): Promise<string> {
    const { jobs } = this.service.services;
    const id = newId('job');
    for (const [n, each] of texts.entries())
      await jobs.sources.put(JobSources.nameOf(id, n), bytes(each), caller.account.id);
    const items = texts.map((_, n) => ({
      sourceKind: 'file' as const,
      source: JobSources.nameOf(id, n),
      filename: `${n}.jpg`,
    }));
    return await this.accept(id, items, caller, webhookUrl);
  }

  async accept(id: string, items: NewJobItem[], caller = this.callers.pro, webhookUrl: string | null = null) {
    const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, outputs: null, steps: '[]' };
    await this.service.services.jobs.accept(caller, { id, pipeline, items, webhookUrl });
    return id;
  }

  async used({ account }: Caller = this.callers.pro): Promise<[used: number, reserved: number, failed: number]> {
    const { meters, usage } = this.service.services.database;
    const { requests, reservedRequests } = await meters.read({ subject: account.id, period: '2026-11' });
    const failed = (await usage.ofMonth(account.id, '2026-11')).reduce((sum, each) => sum + each.failed, 0);
    return [requests, reservedRequests, failed];
  }

  async files(folder: 'files' | 'jobs'): Promise<string[]> {
    const names = await readdir(join(this.service.services.config.dataDir, folder));
    return names.filter((name) => name !== 'parts').sort();
  }

  logged(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  readonly #execute: ExecuteItem = async (order) => {
    this.#working += 1;
    this.most = Math.max(this.most, this.#working);
    const credit = await this.service.services.ledger.reserve(order.caller, 'pipeline', ONE_REQUEST);
    try {
      const source = new TextDecoder().decode(order.image.data);
      if (this.starts) order.onStart();
      if (this.holding)
        await new Promise<void>((finish, fail) => {
          order.signal.throwIfAborted();
          order.signal.addEventListener('abort', () => fail(order.signal.reason), { once: true });
          this.held.push({ order, source, finish, fail });
          this.#notify();
        });
      const fault = this.faults.get(source);
      if (fault) throw fault;
      const data = bytes(source.toUpperCase().padEnd(this.resultBytes));
      const size = { width: 4, height: 3, format: 'webp', content_type: 'image/webp' };
      const description = {
        ...size,
        filename: `${order.index}.webp`,
        outcome: 'reduced',
        warnings: [],
        duration_ms: 1,
      };
      return {
        data,
        description: { ...description, steps: [] },
        originalBytes: order.image.data.byteLength,
        cost: ONE_REQUEST,
        charge: credit.charge,
        release: credit.release,
      };
    } catch (error) {
      await credit.release(order.image.data.byteLength);
      throw error;
    } finally {
      this.#working -= 1;
    }
  };
}

export const bytes = (content: string): ArrayBuffer => new TextEncoder().encode(content).buffer;

export async function withRunner(
  work: (fixture: RunnerFixture) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const clock = { now: START };
  await withService(
    async (service) => {
      const caller = (key: string) => service.services.authenticate(`Bearer ${key}`);
      const callers = { pro: await caller(service.keys.pro), test: await caller(service.keys.test) };
      const fixture = new RunnerFixture(service, clock, callers);
      try {
        await work(fixture);
      } finally {
        await fixture.runner.stop();
      }
    },
    { env: { IC_WORKERS: '2', ...env }, now: () => clock.now },
  );
}

export const statuses = ({ results }: JobRecord) => results.map(({ status }) => status);

/** Settings that allow the service to fetch from loopback addresses. */
export const LOCAL_ADDRESSES = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
export const fromUrl = (source: string): NewJobItem => ({ sourceKind: 'url', source, filename: null });
