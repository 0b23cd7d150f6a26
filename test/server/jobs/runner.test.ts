import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { Failure } from '../../../base/failure.ts';
import { newId } from '../../../base/id.ts';
import type { Caller } from '../../../server/account/authenticate.ts';
import { ONE_REQUEST } from '../../../server/account/credits.ts';
import type { JobEvent } from '../../../server/jobs/events.ts';
import type { ExecuteItem, ItemOrder } from '../../../server/jobs/item.ts';
import { type JobRecord, jobRecord, jobRecords } from '../../../server/jobs/record.ts';
import { JobRunner } from '../../../server/jobs/runner.ts';
import { JobSources, SOURCE_KEPT_MS } from '../../../server/jobs/sources.ts';
import { createLog } from '../../../server/log.ts';
import type { NewJobItem } from '../../../storage/job-queue.ts';
import { timestamp } from '../../../storage/schema.ts';
import { withServer } from '../../support/http-server.ts';
import { type TestService, withService } from '../../support/service.ts';

const START = Date.UTC(2026, 10, 21, 5, 20);

/** An image that is being worked on, in the hands of the test. */
interface Held {
  order: ItemOrder;
  source: string;
  finish(): void;
  fail(error: unknown): void;
}

/** A service whose jobs are run, with work that ends when the test lets it. */
class House {
  readonly service: TestService;
  readonly clock: { now: number };
  readonly callers: { pro: Caller; test: Caller };
  readonly events: JobEvent[] = [];
  readonly lines: string[] = [];
  /** Of what is worked on the test holds all, or none. */
  holding = false;
  /** Whether a worker is free for what is worked on. */
  starts = true;
  /** Results of what ends are filled up to so many bytes. */
  resultBytes = 0;
  /** What ends at once may fail. */
  faults = new Map<string, Failure>();
  readonly held: Held[] = [];
  /** In work at a time. */
  most = 0;
  #working = 0;
  runner: JobRunner;
  #told: () => void = () => {};

  constructor(service: TestService, clock: { now: number }, callers: House['callers']) {
    this.service = service;
    this.clock = clock;
    this.callers = callers;
    service.services.jobs.events.watchAll((event) => {
      this.events.push(event);
      this.#told();
    });
    this.runner = this.createRunner();
  }

  createRunner(slowFetchMs?: number): JobRunner {
    const log = createLog('info', {
      write: (line) => {
        this.lines.push(line);
        this.#told();
      },
    });
    return new JobRunner({
      services: this.service.services,
      execute: this.#execute,
      log,
      ...(slowFetchMs !== undefined && { slowFetchMs }),
    });
  }

  /** Resolves when it holds; looked at whenever something has happened. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
  }

  /** Waits until an image is worked on, and takes it out of what is held. */
  async take(source: string): Promise<Held> {
    const index = () => this.held.findIndex((held) => held.source === source);
    await this.until(() => index() >= 0);
    return this.held.splice(index(), 1)[0]!;
  }

  /** Resolves when a job has ended. */
  async ended(jobId: string): Promise<JobRecord> {
    await this.until(() => this.events.some((event) => event.type === 'ended' && event.jobId === jobId));
    return await this.record(jobId);
  }

  async record(jobId: string): Promise<JobRecord> {
    const { database, baseUrl } = this.service.services;
    const [record] = await jobRecords(database, [(await database.jobs.find(jobId))!], baseUrl);
    return jobRecord.parse(record);
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

  /** Leaves the database as a process does that is killed now, and starts the next one. */
  async kill(): Promise<void> {
    const { database, config } = this.service.services;
    const jobIds = this.events.flatMap(({ type, jobId }) => (type === 'accepted' ? jobId : []));
    const inWork = (await database.jobs.items(jobIds)).filter(({ status }) => status === 'running');
    await this.runner.stop();
    this.held.length = 0;
    const file = new SqliteDatabase(join(config.dataDir, 'imagecrew.sqlite'));
    const restore = file.prepare(
      "update job_items set status = 'running', attempts = ?, lease_until = ? where job_id = ? and position = ?",
    );
    for (const { attempts, leaseUntil, jobId, position } of inWork) restore.run(attempts, leaseUntil, jobId, position);
    file.close();
    this.runner = this.createRunner();
    await this.runner.start();
  }

  /** Accepts a job with an upload for each text. */
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
    const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, steps: '[]' };
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
          this.#told();
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

const bytes = (content: string): ArrayBuffer => new TextEncoder().encode(content).buffer;

async function withRunner(work: (house: House) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const clock = { now: START };
  await withService(
    async (service) => {
      const caller = (key: string) => service.services.authenticate(`Bearer ${key}`);
      const callers = { pro: await caller(service.keys.pro), test: await caller(service.keys.test) };
      const house = new House(service, clock, callers);
      try {
        await work(house);
      } finally {
        await house.runner.stop();
      }
    },
    { env: { IC_WORKERS: '2', ...env }, now: () => clock.now },
  );
}

const statuses = ({ results }: JobRecord) => results.map(({ status }) => status);

describe('a job', () => {
  it('leads to a stored result for each image, charged once, and its sources are gone', async () => {
    await withRunner(async (house) => {
      await house.runner.start();
      const id = await house.send(['a', 'bb', 'ccc'], house.callers.pro, 'https://hooks.example.com/');
      const record = await house.ended(id);
      assert.deepEqual([record.status, record.error, record.progress.percent], ['done', null, 100]);
      assert.deepEqual(record.totals, {
        original_bytes: 6,
        bytes: 6,
        saved_bytes: 0,
        saved_percent: 0,
        requests: 3,
        ai: 0,
      });
      for (const [index, { url, filename, sha256 }] of record.results.entries()) {
        const file = await house.service.services.database.files.find(url!.split('/').at(-1)!);
        assert.deepEqual([filename, file?.sha256], [`${index + 1}.webp`, sha256]);
        const stream = await house.service.services.results.open(file!);
        assert.equal(await text(stream), ['A', 'BB', 'CCC'][index]);
      }
      assert.equal((await house.files('files')).length, 3);
      await house.runner.stop();
      assert.deepEqual(await house.files('jobs'), []);
      assert.deepEqual(await house.used(), [3, 0, 0]);
      const types = house.events.map(({ type }) => type);
      assert.deepEqual(types, ['accepted', 'started', 'item', 'item', 'item', 'ended']);
      const { webhooks } = house.service.services.database;
      const [message] = await webhooks.ofJobs([id]);
      const { data } = JSON.parse((await webhooks.findMessage(message!.id))!.body);
      assert.deepEqual(
        [data.status, data.progress.done, data.results[2].sha256],
        ['done', 3, record.results[2]!.sha256],
      );
    });
  });

  it('goes on when some images fail, and fails when all do', async () => {
    await withRunner(async (house) => {
      house.faults.set('bad', new Failure('corrupt_image', 'Bad.'));
      house.faults.set('big', new Failure('image_too_large', 'Big.'));
      await house.runner.start();
      const [mixed, same, different] = [
        await house.send(['bad', 'good']),
        await house.send(['bad', 'bad']),
        await house.send(['bad', 'big']),
      ];
      const one = await house.ended(mixed);
      assert.deepEqual([one.status, statuses(one), one.error], ['done', ['failed', 'done'], null]);
      assert.deepEqual(one.results[0]!.error, { code: 'corrupt_image', message: 'Bad.' });
      const two = await house.ended(same);
      assert.deepEqual([two.status, two.error], ['failed', { code: 'corrupt_image', message: 'Bad.' }]);
      assert.equal(two.expires_at, null);
      const three = await house.ended(different);
      assert.deepEqual([three.status, three.error?.code], ['failed', 'all_items_failed']);
      assert.deepEqual(await house.used(), [1, 0, 5]);
      await house.runner.stop();
      assert.deepEqual(await house.files('jobs'), []);
    });
  });

  it('fails with what was not foreseen, which is logged', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      await house.runner.start();
      const id = await house.send(['a']);
      (await house.take('a')).fail(new RangeError('boom'));
      const record = await house.ended(id);
      assert.deepEqual([record.status, record.error?.code], ['failed', 'internal_error']);
      assert.ok(!JSON.stringify(record).includes('boom'));
      assert.ok(house.logged().some(({ err }) => (err as Error | undefined)?.message === 'boom'));
    });
  });

  /** Runs a job of two images beside another account that leaves room for the first result alone. */
  const withFullStorage = (work: (house: House, jobId: string, makeRoom: () => Promise<void>) => Promise<void>) =>
    withRunner(
      async (house) => {
        const { results } = house.service.services;
        const { id: other } = house.callers.test.account;
        const description = { filename: 'x', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
        const file = await results.put(other, { ...description, data: new ArrayBuffer(80) });
        house.resultBytes = 10;
        const id = await house.send(['a', 'b'], house.callers.pro, 'https://hooks.example.com/');
        await house.runner.start();
        await house.until(() => house.itemsEnded === 1 && house.givenBack === 1);
        await work(house, id, () => results.delete(other, file.id));
      },
      { IC_STORAGE_BYTES: '100', IC_WORKERS: '1' },
    );

  it('waits where the storage is full, longer each time, also over a restart, and loses no image', async () => {
    await withFullStorage(async (house, id, makeRoom) => {
      const { database } = house.service.services;
      const waiting = async () => (await database.jobs.items([id])).find(({ status }) => status === 'queued')!;
      for (const [at, seconds] of [15, 30, 60, 120].entries()) {
        const record = await house.record(id);
        assert.deepEqual([record.status, statuses(record).sort()], ['running', ['done', 'queued']]);
        assert.equal((await waiting()).nextAttemptAt, timestamp(house.clock.now + seconds * 1000));
        house.clock.now += seconds * 1000;
        if (at === 1) await house.kill();
        else house.runner.wake();
        await house.until(() => house.givenBack === at + 2);
      }
      await makeRoom();
      house.clock.now += 240_000;
      house.runner.wake();
      const record = await house.ended(id);
      assert.deepEqual([record.status, statuses(record)], ['done', ['done', 'done']]);
      assert.deepEqual((await house.used()).slice(0, 2), [2, 0]);
      assert.equal((await database.webhooks.ofJobs([id])).length, 1);
      await house.runner.stop();
      assert.deepEqual(await house.files('jobs'), []);
    });
  });

  it('fails the images for which the storage was full until uploads are removed, and those alone', async () => {
    await withFullStorage(async (house, id) => {
      house.clock.now = START + SOURCE_KEPT_MS - 30_000;
      house.runner.wake();
      const record = await house.ended(id);
      assert.deepEqual([record.status, record.error, statuses(record).sort()], ['done', null, ['done', 'failed']]);
      assert.equal(record.results.find(({ status }) => status === 'failed')?.error?.code, 'storage_full');
      // A job of which no image succeeds.
      const { results } = house.service.services;
      const { id: pro } = house.callers.pro.account;
      const url = record.results.find((result) => result.url !== null)!.url!;
      house.clock.now = START;
      await results.delete(pro, url.split('/').at(-1)!);
      house.resultBytes = 30;
      const late = await house.send(['c']);
      await house.until(() => house.givenBack === 2);
      house.clock.now = START + SOURCE_KEPT_MS - 30_000;
      house.runner.wake();
      const { status, error } = await house.ended(late);
      assert.deepEqual([status, error?.code], ['failed', 'storage_full']);
      await house.runner.stop();
      assert.deepEqual((await house.used()).slice(0, 2), [1, 0]);
      assert.deepEqual(await house.files('jobs'), []);
    });
  });

  it('works off uploads that fill the storage', async () => {
    await withRunner(
      async (house) => {
        const id = await house.send(['abcd', 'efgh', 'ijkl', 'mnop']);
        await house.runner.start();
        assert.deepEqual(statuses(await house.ended(id)), ['done', 'done', 'done', 'done']);
        assert.equal(house.givenBack, 0);
      },
      { IC_STORAGE_BYTES: '32' },
    );
  });

  it('does not begin with an image when the allowance is used up', async () => {
    await withRunner(async (house) => {
      const { account } = house.callers.test;
      const limits = { requests: null, ai: null, total: null };
      const { meters } = house.service.services.database;
      await meters.reserve({ subject: account.id, period: '2026-11-21' }, { requests: 49, ai: 0 }, limits);
      await house.runner.start();
      const record = await house.ended(await house.send(['a', 'b'], house.callers.test));
      assert.deepEqual(statuses(record).sort(), ['done', 'failed']);
      const failed = record.results.find(({ status }) => status === 'failed');
      assert.equal(failed?.error?.code, 'test_limit_exceeded');
      assert.equal(record.test_mode, true);
    });
  });

  it('of an account that was disabled fails', async () => {
    await withRunner(async (house) => {
      const id = await house.send(['a']);
      await house.service.services.database.accounts.update(house.callers.pro.account.id, { disabled: true });
      await house.runner.start();
      assert.deepEqual((await house.ended(id)).error?.code, 'invalid_key');
    });
  });

  it('fails the images whose sources have passed their hour', async () => {
    await withRunner(async (house) => {
      const id = await house.send(['a']);
      await house.service.services.jobs.sources.remove(JobSources.nameOf(id, 0));
      await house.runner.start();
      assert.equal((await house.ended(id)).results[0]!.error?.code, 'expired');
    });
  });
});

describe('what the runner takes up', () => {
  it('is one image more than there are workers, of both accounts', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const many = await house.send(['a', 'b', 'c', 'd', 'e']);
      await house.runner.start();
      await house.until(() => house.held.length === 3);
      const one = await house.send(['z'], house.callers.test);
      (await house.take('a')).finish();
      // Not the fourth of the other account, which has two in work.
      (await house.take('z')).finish();
      for (const source of ['b', 'c', 'd', 'e']) (await house.take(source)).finish();
      assert.equal((await house.ended(many)).status, 'done');
      assert.equal((await house.ended(one)).status, 'done');
      assert.equal(house.most, 3);
    });
  });

  it('is of each job of an account in turn: one image does not wait for a hundred', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      await house.runner.start();
      const many = await house.send(Array.from({ length: 20 }, (_, n) => `many ${n}`));
      await house.until(() => house.held.length === 3);
      const one = await house.send(['one']);
      (await house.take('many 0')).finish();
      (await house.take('one')).finish();
      assert.equal((await house.ended(one)).status, 'done');
      assert.ok((await house.record(many)).progress.done <= 1);
    });
  });

  it('is put back when the service is overloaded, as if it had not been tried', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      await house.runner.start();
      const id = await house.send(['a']);
      for (let n = 0; n < 4; n += 1)
        (await house.take('a')).fail(new Failure('overloaded', 'Later.', { retryAfter: 0 }));
      (await house.take('a')).finish();
      assert.equal((await house.ended(id)).status, 'done');
      const [item] = await house.service.services.database.jobs.items([id]);
      assert.equal(item?.attempts, 1);
      assert.equal((await house.used())[0], 1);
    });
  });
});

describe('a job that is cancelled', () => {
  it('stops what is in work, which costs nothing, and keeps what is finished', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      await house.runner.start();
      const id = await house.send(['a', 'b', 'c', 'd', 'e']);
      (await house.take('a')).finish();
      await house.until(() => house.events.some(({ type }) => type === 'item') && house.held.length === 3);
      await house.service.services.jobs.cancel(house.callers.pro.account.id, id);
      await house.until(() => house.logged().filter(({ status }) => status === 'cancelled').length === 3);
      const record = await house.record(id);
      assert.deepEqual(statuses(record), ['done', 'cancelled', 'cancelled', 'cancelled', 'cancelled']);
      const [used, reserved] = await house.used();
      assert.deepEqual([used, reserved], [1, 0]);
      assert.equal((await house.files('files')).length, 1);
      await house.runner.stop();
      assert.deepEqual(await house.files('jobs'), []);
    });
  });

  it('keeps nothing of an image that was finished a moment too late', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const { database, results } = house.service.services;
      const id = await house.send(['a']);
      await house.runner.start();
      const held = await house.take('a');
      // Between the bytes of the result and the transaction.
      const write = results.write.bind(results);
      results.write = async (...args) => {
        const file = await write(...args);
        const end = { status: 'cancelled', errorCode: null, errorMessage: null, finishedAt: timestamp(START) } as const;
        await database.transaction(({ jobs }) => jobs.end(id, end));
        return file;
      };
      held.finish();
      await house.until(() => house.logged().some(({ status }) => status === 'cancelled'));
      const record = await house.record(id);
      assert.deepEqual([record.status, statuses(record), record.totals.requests], ['cancelled', ['cancelled'], 0]);
      const [used, reserved] = await house.used();
      assert.deepEqual([used, reserved], [0, 0]);
      assert.deepEqual(await house.files('files'), []);
    });
  });
});

describe('a service that is stopped', () => {
  it('puts back what is in work, and the next one finishes it', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const id = await house.send(['a', 'b', 'c', 'd']);
      await house.runner.start();
      await house.until(() => house.held.length === 3);
      await house.runner.stop();
      assert.deepEqual(statuses(await house.record(id)), ['queued', 'queued', 'queued', 'queued']);
      assert.equal((await house.used())[0], 0);
      house.holding = false;
      house.runner = house.createRunner();
      await house.runner.start();
      assert.equal((await house.ended(id)).status, 'done');
      const items = await house.service.services.database.jobs.items([id]);
      assert.deepEqual(
        items.map(({ attempts }) => attempts),
        [1, 1, 1, 1],
      );
      assert.deepEqual((await house.used()).slice(0, 2), [4, 0]);
    });
  });

  it('counts no attempt of what it stops, however far it is', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const id = await house.send(['a', 'b', 'c']);
      for (let stops = 0; stops < 4; stops += 1) {
        house.starts = stops % 2 === 0;
        await house.runner.start();
        await house.until(() => house.held.length === 3);
        await house.runner.stop();
        house.held.length = 0;
        house.runner = house.createRunner();
        assert.deepEqual(await house.attempts(id), [0, 0, 0]);
      }
    });
  });
});

describe('a service that is killed', () => {
  it('fails an image that it was killed with three times, and finishes those beside it', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const id = await house.send(['killer', 'b', 'c', 'd', 'e'], house.callers.pro, 'https://hooks.example.com/');
      await house.runner.start();
      await house.until(() => house.held.length === 3);
      await house.kill();
      assert.deepEqual(await house.attempts(id), [1, 1, 1, 0, 0]);
      // What was not interrupted comes first. What was is worked on alone, in the order in which the sources are read.
      for (const source of ['d', 'e']) (await house.take(source)).finish();
      await house.until(() => house.itemsEnded === 2);
      const finishUntilKiller = async () => {
        for (;;) {
          await house.until(() => house.held.length > 0);
          assert.equal(house.held.length, 1);
          const { source } = house.held[0]!;
          if (source === 'killer') return;
          const ended = house.itemsEnded + 1;
          (await house.take(source)).finish();
          await house.until(() => house.itemsEnded === ended);
        }
      };
      await finishUntilKiller();
      await house.kill();
      assert.deepEqual((await house.attempts(id))[0], 2);
      await finishUntilKiller();
      await house.kill();
      while (house.itemsEnded < 5) {
        await house.until(() => house.itemsEnded === 5 || house.held.length > 0);
        for (const { source } of [...house.held]) (await house.take(source)).finish();
      }
      const record = await house.ended(id);
      assert.deepEqual([record.status, record.error], ['done', null]);
      assert.deepEqual(statuses(record), ['failed', 'done', 'done', 'done', 'done']);
      const { error } = record.results[0]!;
      assert.equal(error?.code, 'interrupted');
      assert.match(error.message, /stopped 3 times while it worked on this image\..* Send it again/);
      assert.deepEqual((await house.used()).slice(0, 2), [4, 0]);
      assert.equal((await house.service.services.database.webhooks.ofJobs([id])).length, 1);
      const items = house.events
        .filter(({ type }) => type === 'item')
        .map((event) => (event as { position: number }).position);
      assert.deepEqual(items.sort(), [0, 1, 2, 3, 4]);
      await house.runner.stop();
      assert.deepEqual(await house.files('jobs'), []);
    });
  });

  it('fails a job of which every image was interrupted, with their code', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      const id = await house.send(['a'], house.callers.pro, 'https://hooks.example.com/');
      await house.runner.start();
      for (let kills = 0; kills < 3; kills += 1) {
        await house.until(() => house.held.length === 1);
        await house.kill();
      }
      const record = await house.ended(id);
      assert.deepEqual([record.status, record.error?.code], ['failed', 'interrupted']);
      assert.equal((await house.service.services.database.webhooks.ofJobs([id])).length, 1);
      assert.deepEqual((await house.used()).slice(0, 2), [0, 0]);
    });
  });

  it('counts no attempt of what no worker had begun with', async () => {
    await withRunner(async (house) => {
      house.holding = true;
      house.starts = false;
      const id = await house.send(['a', 'b', 'c', 'd']);
      await house.runner.start();
      for (let kills = 0; kills < 4; kills += 1) {
        await house.until(() => house.held.length === 3);
        await house.kill();
        assert.deepEqual(await house.attempts(id), [0, 0, 0, 0]);
      }
    });
  });
});

const LOCAL = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
const fromUrl = (source: string): NewJobItem => ({ sourceKind: 'url', source, filename: null });

describe('addresses', () => {
  it('are fetched, with the limit of the key, and no log line tells their queries', async () => {
    await withServer(
      (request, response) => response.end(request.url?.startsWith('/big') ? Buffer.alloc(1_000_001) : 'picture'),
      async ({ origin }) => {
        await withRunner(async (house) => {
          await house.runner.start();
          const items = ['/dir/photo.jpg?token=secret', '/big.jpg?token=secret'].map((path) => fromUrl(origin + path));
          const record = await house.ended(await house.accept(newId('job'), items, house.callers.test));
          assert.deepEqual(statuses(record), ['done', 'failed']);
          assert.equal(record.results[1]!.error?.code, 'file_too_large');
          assert.equal(record.results[0]!.input, items[0]!.source);
          assert.ok(!house.lines.join('').includes('secret'));
          const hosts = new Set(house.logged().flatMap(({ source_host: host }) => host ?? []));
          assert.deepEqual([...hosts], [new URL(origin).host]);
        }, LOCAL);
      },
    );
  });

  it('that are slow do not keep others from the workers', async () => {
    const waiting: ServerResponse[] = [];
    await withServer(
      (_request, response) => void waiting.push(response),
      async ({ origin }) => {
        await withRunner(async (house) => {
          await house.runner.start();
          const slow = await house.accept(
            newId('job'),
            Array.from({ length: 5 }, () => fromUrl(`${origin}/a.jpg`)),
          );
          const quick = await house.send(['a'], house.callers.test);
          assert.equal((await house.ended(quick)).status, 'done');
          assert.equal((await house.record(slow)).progress.percent, 0);
          await house.service.services.jobs.cancel(house.callers.pro.account.id, slow);
        }, LOCAL);
      },
    );
  });

  it('that are slow, a hundred of them, keep neither other accounts nor jobs of the same account waiting', async () => {
    const waiting: ServerResponse[] = [];
    let onManyWait: () => void = () => {};
    const manyWait = new Promise<void>((resolve) => {
      onManyWait = resolve;
    });
    await withServer(
      (request, response) => {
        if (request.url === '/quick.jpg') response.end('quick');
        else if (waiting.push(response) === 16) onManyWait();
      },
      async ({ origin }) => {
        await withRunner(async (house) => {
          house.runner = house.createRunner(1);
          await house.runner.start();
          const addresses = (count: number, path: string) =>
            Array.from({ length: count }, () => fromUrl(`${origin}${path}`));
          const slow = await house.accept(newId('job'), addresses(100, '/slow.jpg'));
          await manyWait;
          const own = await house.accept(newId('job'), addresses(1, '/quick.jpg'));
          const others = [
            await house.send(['a', 'b'], house.callers.test),
            await house.accept(newId('job'), addresses(2, '/quick.jpg'), house.callers.test),
          ];
          for (const id of [own, ...others]) assert.equal((await house.ended(id)).status, 'done');
          // A job fetches no more than its limit.
          assert.ok(waiting.length < 16 + 8, `${waiting.length}`);
          assert.equal((await house.record(slow)).progress.percent, 0);
          await house.service.services.jobs.cancel(house.callers.pro.account.id, slow);
        }, LOCAL);
      },
    );
  });

  it('that are slow keep the images beside them in their job from nothing', async () => {
    await withServer(
      (request, response) => {
        if (request.url === '/quick.jpg') response.end('quick');
      },
      async ({ origin }) => {
        await withRunner(async (house) => {
          house.runner = house.createRunner(1);
          await house.runner.start();
          const items = Array.from({ length: 20 }, (_, n) => fromUrl(`${origin}/${n < 12 ? 'slow' : 'quick'}.jpg`));
          const id = await house.accept(newId('job'), items);
          await house.until(() => house.itemsEnded === 8);
          assert.equal((await house.record(id)).progress.done, 8);
          await house.service.services.jobs.cancel(house.callers.pro.account.id, id);
        }, LOCAL);
      },
    );
  });

  it('that may not be reached fail their image', async () => {
    await withRunner(async (house) => {
      await house.runner.start();
      const record = await house.ended(await house.accept(newId('job'), [fromUrl('http://127.0.0.1/a.jpg')]));
      assert.equal(record.error?.code, 'url_not_allowed');
    });
  });
});

describe('the lease of an image', () => {
  /** A runner whose timer the test moves. */
  const withTimer = (t: TestContext, work: (house: House, tick: () => void) => Promise<void>) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    return withRunner((house) => work(house, () => t.mock.timers.tick(15_000)));
  };

  it('is renewed as long as it is worked on', async (t) => {
    await withTimer(t, async (house, tick) => {
      house.holding = true;
      await house.runner.start();
      const id = await house.send(['a']);
      const held = await house.take('a');
      for (let n = 1; n <= 6; n += 1) {
        house.clock.now += 15_000;
        tick();
        const renewed = timestamp(house.clock.now + 60_000);
        while ((await house.service.services.database.jobs.items([id]))[0]?.leaseUntil !== renewed)
          await setImmediate();
      }
      held.finish();
      assert.equal((await house.ended(id)).status, 'done');
      assert.equal(house.most, 1);
    });
  });

  it('ends when nobody works on it, and then it is taken up again', async (t) => {
    await withTimer(t, async (house, tick) => {
      const { database } = house.service.services;
      await house.runner.start();
      const until = timestamp(START + 60_000);
      const id = newId('job');
      await house.service.services.jobs.sources.put(JobSources.nameOf(id, 0), bytes('a'), house.callers.pro.account.id);
      // Taken up before it is told of, by somebody who is never heard of again.
      const source: NewJobItem = { sourceKind: 'file', source: JobSources.nameOf(id, 0), filename: null };
      const { account, key } = house.callers.pro;
      const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, steps: '[]', webhookUrl: null };
      await database.transaction(async ({ jobs, jobQueue }) => {
        const now = timestamp(START);
        await jobs.insert({ id, accountId: account.id, keyId: key.id, ...pipeline, createdAt: now });
        await jobQueue.enqueue(id, [source]);
        const { item } = (await jobQueue.lease({ now, until, runningJobs: 5 }))!;
        await jobQueue.begin(item);
      });
      house.clock.now = START + 60_000;
      tick();
      assert.equal((await house.ended(id)).status, 'done');
      assert.equal((await database.jobs.items([id]))[0]?.attempts, 2);
    });
  });

  it('stops the work on it when it is lost, and the next one charges it once', async (t) => {
    await withTimer(t, async (house, tick) => {
      const { database } = house.service.services;
      house.holding = true;
      await house.runner.start();
      const id = await house.send(['a']);
      const { order } = await house.take('a');
      await database.transaction(({ jobQueue }) => jobQueue.recover({ endedBefore: undefined, mostAttempts: 3 }));
      tick();
      (await house.take('a')).finish();
      assert.equal((await house.ended(id)).status, 'done');
      assert.equal(order.signal.aborted, true);
      assert.deepEqual((await house.used()).slice(0, 2), [1, 0]);
    });
  });
});
