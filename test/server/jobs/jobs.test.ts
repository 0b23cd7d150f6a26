import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../base/id.ts';
import { timestamp } from '../../../base/timestamp.ts';
import type { Caller } from '../../../server/http/context.ts';
import type { JobEvent } from '../../../server/jobs/events.ts';
import type { IdempotentRequest, Jobs } from '../../../server/jobs/jobs.ts';
import { type JobRecord, jobRecord, progressOf, readJobRecord } from '../../../server/jobs/record.ts';
import type { SentJob } from '../../../storage/records/jobs.ts';
import { failureOf } from '../../support/failure.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const START = Date.UTC(2026, 10, 21, 5, 20);
const HOUR = 3_600_000;
const PAGE = { limit: 500, offset: 0 };

/** The jobs of a service whose clock only the test advances. */
interface JobsFixture {
  service: TestService;
  jobs: Jobs;
  clock: { now: number };
  pro: Caller;
  /** A caller of another account, with a test key. */
  test: Caller;
}

async function withJobs(work: (house: JobsFixture) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const clock = { now: START };
  await withService(
    async (service) => {
      const callerWith = (key: string) => service.services.authenticate(`Bearer ${key}`);
      const [pro, test] = [await callerWith(service.keys.pro), await callerWith(service.keys.test)];
      await work({ service, jobs: service.services.jobs, clock, pro, test });
    },
    { env, now: () => clock.now },
  );
}

interface Sent {
  webhookUrl?: string | null;
  images?: number;
  idempotency?: IdempotentRequest;
}

const STEPS = [{ op: 'resize', params: { width: 8 } }];

async function send(house: JobsFixture, { webhookUrl = null, images = 2, idempotency }: Sent = {}, caller = house.pro) {
  return await house.jobs.accept(caller, {
    id: newId('job'),
    pipeline: {
      pipelineName: 'small',
      pipelineVersion: 3,
      outputName: null,
      outputs: null,
      steps: JSON.stringify(STEPS),
    },
    items: Array.from({ length: images }, (_, n) => ({
      sourceKind: 'url' as const,
      source: `https://user:secret@example.com/${n}.jpg?size=1`,
      filename: null,
    })),
    webhookUrl,
    ...(idempotency && { idempotency }),
  });
}

async function recordOf({ service }: JobsFixture, { id }: SentJob): Promise<JobRecord> {
  return jobRecord.parse(await readJobRecord(service.services.database, id, service.services.baseUrl));
}

/** Leases the next item and completes it, or fails it if an error code is given. */
async function endNextItem({ service, clock }: JobsFixture, code?: string): Promise<void> {
  const now = timestamp(clock.now);
  await service.services.database.transaction(async ({ jobQueue }) => {
    const { item } = (await jobQueue.lease({ now, until: now, runningJobs: 5 }))!;
    if (code) await jobQueue.fail(item, { errorCode: code, errorMessage: `${code}.`, finishedAt: now });
    else {
      const result = {
        expires_at: timestamp(clock.now + HOUR),
        filename: 'a.webp',
        content_type: 'image/webp',
        format: 'webp',
        width: 8,
        height: 6,
        outcome: 'reduced',
        warnings: ['source_small'],
        duration_ms: 7,
        sha256: 'ab',
        steps: [{ index: 1, op: 'resize', status: 'applied', reason: null, width: 8, height: 6, duration_ms: 5 }],
      };
      const counts = { originalBytes: 400, bytes: 300, requests: 1, ai: 1 };
      await jobQueue.complete(item, { fileId: 'file_1', result: JSON.stringify(result), ...counts, finishedAt: now });
    }
  });
}

describe('accepting a job', () => {
  it('records it with its images and sends an event', async () => {
    await withJobs(async (house) => {
      const events: JobEvent[] = [];
      house.jobs.events.watchAll((event) => events.push(event));
      const job = await send(house, { webhookUrl: 'https://hooks.example.com/in?token=secret' });
      assert.deepEqual(events, [{ type: 'accepted', jobId: job.id }]);
      const { results, ...record } = await recordOf(house, job);
      assert.deepEqual(record, {
        id: job.id,
        status: 'queued',
        created_at: '2026-11-21T05:20:00.000Z',
        started_at: null,
        finished_at: null,
        expires_at: null,
        progress: { total: 2, done: 0, failed: 0, cancelled: 0, percent: 0 },
        pipeline: { name: 'small', version: 3, steps: STEPS, outputs: null },
        totals: { original_bytes: 0, bytes: 0, saved_bytes: 0, saved_percent: 0, requests: 0, ai: 0 },
        webhook: {
          url: 'https://hooks.example.com/in',
          status: 'pending',
          attempts: 0,
          last_status: null,
          last_attempt_at: null,
          next_attempt_at: null,
        },
        error: null,
        test_mode: false,
      });
      assert.deepEqual(
        results.map(({ index, status, input }) => ({ index, status, input })),
        [0, 1].map((index) => ({ index, status: 'queued', input: `https://example.com/${index}.jpg?size=1` })),
      );
    });
  });

  it('rejects a job over the limit of waiting jobs of an account, and keeps nothing of it', async () => {
    await withJobs(
      async (house) => {
        await send(house);
        await send(house);
        const failure = await failureOf('too_many_jobs', () => send(house, { idempotency: { key: 'k', hash: 'h' } }));
        assert.ok((failure.retryAfter ?? 0) > 0);
        assert.equal((await house.jobs.listedIds(house.pro.account.id, PAGE)).total, 2);
        assert.equal(await house.jobs.replayed(house.pro.account.id, { key: 'k', hash: 'h' }), undefined);
        await send(house, {}, house.test);
        // A running job does not count as waiting.
        await endNextItem(house);
        await send(house);
      },
      { IC_JOBS_QUEUED: '2' },
    );
  });

  it('marks a job of a test key', async () => {
    await withJobs(async (house) => {
      assert.equal((await recordOf(house, await send(house, {}, house.test))).test_mode, true);
    });
  });
});

describe('an Idempotency-Key', () => {
  it('returns the first job for a day, for the same request of the same account', async () => {
    await withJobs(async (house) => {
      const { account } = house.pro;
      const idempotency = { key: 'once', hash: 'abc' };
      const job = await send(house, { idempotency });
      assert.equal((await house.jobs.replayed(account.id, idempotency))?.id, job.id);
      await failureOf('idempotency_key_reused', () => house.jobs.replayed(account.id, { key: 'once', hash: 'other' }));
      assert.equal(await house.jobs.replayed(house.test.account.id, { key: 'once', hash: 'other' }), undefined);
      house.clock.now = START + 24 * HOUR - 1;
      assert.equal((await house.jobs.replayed(account.id, idempotency))?.id, job.id);
      house.clock.now = START + 24 * HOUR;
      assert.equal(await house.jobs.replayed(account.id, idempotency), undefined);
      // The key has expired, even if it has not been swept yet.
      const again = await send(house, { idempotency: { key: 'once', hash: 'other' } });
      assert.equal((await house.jobs.replayed(account.id, { key: 'once', hash: 'other' }))?.id, again.id);
      house.clock.now += 24 * HOUR;
      await house.jobs.sweep();
      assert.equal(await house.service.services.database.idempotencyKeys.find(account.id, 'once', ''), undefined);
    });
  });

  it('is locked by one request at a time', async () => {
    await withJobs(async ({ jobs }) => {
      const end = await jobs.claim('acct_1', 'k');
      await failureOf('idempotency_in_progress', () => jobs.claim('acct_1', 'k'));
      await jobs.claim('acct_2', 'k');
      await end();
      await jobs.claim('acct_1', 'k');
    });
  });
});

describe('finding jobs', () => {
  verifies('jobs.list');

  it('lists open jobs and those of the last hour, newest first, of one account', async () => {
    await withJobs(async (house) => {
      const old = await send(house, { images: 1 });
      await house.jobs.cancel(house.pro.account.id, old.id);
      const open = await send(house);
      house.clock.now += HOUR + 1;
      const [first, second] = [await send(house), await send(house)];
      await send(house, {}, house.test);
      const expected = [second.id, first.id, open.id];
      const { id: account } = house.pro.account;
      assert.deepEqual(await house.jobs.listedIds(account, PAGE), { ids: expected, total: 3 });
      for (let offset = 0; offset <= 4; offset += 1)
        for (let limit = 1; limit <= 3; limit += 1)
          assert.deepEqual(await house.jobs.listedIds(account, { limit, offset }), {
            ids: expected.slice(offset, offset + limit),
            total: 3,
          });
    });
  });

  it('does not find a job of another account', async () => {
    await withJobs(async (house) => {
      const { id } = await send(house);
      for (const find of [house.jobs.find, house.jobs.cancel])
        await failureOf('not_found', () => find.call(house.jobs, house.test.account.id, id));
      await failureOf('not_found', () => house.jobs.find(house.pro.account.id, 'job_none'));
      assert.equal((await house.jobs.find(house.pro.account.id, id)).status, 'queued');
    });
  });

  it('deletes jobs that ended a day ago with their images, and keeps open ones', async () => {
    await withJobs(async (house) => {
      const { database } = house.service.services;
      const [ended, open] = [await send(house), await send(house)];
      await house.jobs.cancel(house.pro.account.id, ended.id);
      house.clock.now = START + 24 * HOUR - 1;
      await house.jobs.sweep();
      await house.jobs.find(house.pro.account.id, ended.id);
      house.clock.now += 1;
      await house.jobs.sweep();
      await failureOf('not_found', () => house.jobs.find(house.pro.account.id, ended.id));
      assert.deepEqual(await database.jobs.items([ended.id]), []);
      await house.jobs.find(house.pro.account.id, open.id);
    });
  });
});

describe('the record of a job', () => {
  it('shows the progress, the bytes saved and the cost', async () => {
    await withJobs(async (house) => {
      const job = await send(house, { images: 3 });
      house.clock.now += 1000;
      await endNextItem(house);
      house.clock.now += 1000;
      await endNextItem(house, 'corrupt_image');
      await endNextItem(house);
      const { results, ...record } = await recordOf(house, job);
      assert.deepEqual(record.progress, { total: 3, done: 2, failed: 1, cancelled: 0, percent: 100 });
      assert.deepEqual(
        [record.status, record.started_at, record.expires_at],
        ['running', timestamp(START + 1000), timestamp(START + 1000 + HOUR)],
      );
      assert.deepEqual(record.totals, {
        original_bytes: 800,
        bytes: 600,
        saved_bytes: 200,
        saved_percent: 25,
        requests: 2,
        ai: 2,
      });
      const [done, failed] = results;
      assert.deepEqual(done, {
        index: 0,
        status: 'done',
        input: 'https://example.com/0.jpg?size=1',
        url: 'https://images.example.com/api/v1/files/file_1',
        expires_at: timestamp(START + 1000 + HOUR),
        filename: 'a.webp',
        content_type: 'image/webp',
        format: 'webp',
        bytes: 300,
        width: 8,
        height: 6,
        original_bytes: 400,
        saved_bytes: 100,
        outcome: 'reduced',
        warnings: ['source_small'],
        duration_ms: 7,
        sha256: 'ab',
        steps: [{ index: 1, op: 'resize', status: 'applied', reason: null, width: 8, height: 6, duration_ms: 5 }],
        error: null,
      });
      assert.deepEqual(
        [failed?.status, failed?.error, failed?.url, failed?.warnings, failed?.saved_bytes],
        ['failed', { code: 'corrupt_image', message: 'corrupt_image.' }, null, [], null],
      );
    });
  });

  it('shows the job and its images as they were at the same moment', async () => {
    await withJobs(async (house) => {
      const job = await send(house, { images: 1 });
      // The image is leased and ends as soon as the database is free, which was between two reads of the record.
      const [record] = await Promise.all([recordOf(house, job), endNextItem(house)]);
      const { status, started_at, progress, totals, results } = record;
      assert.deepEqual(
        { status, started_at, done: progress.done, requests: totals.requests, result: results[0]?.status },
        { status: 'queued', started_at: null, done: 0, requests: 0, result: 'queued' },
      );
    });
  });

  it('shows 100 percent only when all images have ended', () => {
    const counts = (queued: number) => [
      { status: 'done', items: 4000 - queued } as const,
      { status: 'queued', items: queued } as const,
    ];
    assert.equal(progressOf(counts(1)).percent, 99.9);
    assert.equal(progressOf(counts(0)).percent, 100);
  });
});

describe('cancelling a job', () => {
  verifies('jobs.cancel', 'jobs.cancel.keeps-finished');

  it('keeps finished images, ends the rest and sends one event', async () => {
    await withJobs(async (house) => {
      const { database } = house.service.services;
      const job = await send(house, { images: 3, webhookUrl: 'https://hooks.example.com/' });
      await endNextItem(house);
      const now = timestamp(house.clock.now);
      const inWork = await database.transaction(({ jobQueue }) => jobQueue.lease({ now, until: now, runningJobs: 5 }));
      const events: JobEvent[] = [];
      house.jobs.events.watch(job.id, (event) => events.push(event));
      assert.equal((await house.jobs.cancel(job.accountId, job.id)).status, 'cancelled');
      const record = await recordOf(house, job);
      assert.deepEqual([record.status, record.finished_at, record.error], ['cancelled', now, null]);
      assert.deepEqual(
        record.results.map(({ status, url }) => [status, url !== null]),
        [
          ['done', true],
          ['cancelled', false],
          ['cancelled', false],
        ],
      );
      assert.equal(record.progress.percent, 100);
      // A result for the item that was running can no longer be stored.
      const done = { fileId: 'file_2', result: '{}', originalBytes: 1, bytes: 1, requests: 1, ai: 0, finishedAt: now };
      assert.equal(await database.transaction(({ jobQueue }) => jobQueue.complete(inWork!.item, done)), false);
      house.clock.now += 1000;
      await house.jobs.cancel(job.accountId, job.id);
      // The webhook message may have been attempted meanwhile.
      const { webhook } = record;
      assert.deepEqual({ ...(await recordOf(house, job)), webhook }, record);
      assert.deepEqual(events, [{ type: 'ended', jobId: job.id }]);
      const [message, ...others] = await database.webhooks.ofJobs([job.id]);
      assert.deepEqual([message?.status, others.length], ['pending', 0]);
      const { data } = JSON.parse((await database.webhooks.findMessage(message!.id))!.body);
      assert.deepEqual(
        [data.status, data.webhook.status, data.results[0].url],
        ['cancelled', 'pending', record.results[0]!.url],
      );
    });
  });
});
