import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { timestamp } from '../../../base/timestamp.ts';
import { JobSources, MAX_SOURCE_AGE_MS } from '../../../server/jobs/sources.ts';
import { OTHER_DATABASE } from '../../support/database.ts';
import { type RunnerFixture, START, statuses, withRunner } from '../../support/job-runner.ts';

describe('a job', () => {
  it('stores a result for each image, charges it once and removes its sources', async () => {
    await withRunner(async (fixture) => {
      await fixture.runner.start();
      const id = await fixture.send(['a', 'bb', 'ccc'], fixture.callers.pro, 'https://hooks.example.com/');
      const record = await fixture.ended(id);
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
        const file = await fixture.service.services.database.files.find(url!.split('/').at(-1)!);
        assert.deepEqual([filename, file?.sha256], [`${index + 1}.webp`, sha256]);
        const stream = await fixture.service.services.results.open(file!);
        assert.equal(await text(stream), ['A', 'BB', 'CCC'][index]);
      }
      assert.equal((await fixture.files('files')).length, 3);
      await fixture.runner.stop();
      assert.deepEqual(await fixture.files('jobs'), []);
      assert.deepEqual(await fixture.used(), [3, 0, 0]);
      const types = fixture.events.map(({ type }) => type);
      assert.deepEqual(types, ['accepted', 'started', 'item', 'item', 'item', 'ended']);
      const { webhooks } = fixture.service.services.database;
      const [message] = await webhooks.ofJobs([id]);
      const { data } = JSON.parse((await webhooks.findMessage(message!.id))!.body);
      assert.deepEqual(
        [data.status, data.progress.done, data.results[2].sha256],
        ['done', 3, record.results[2]!.sha256],
      );
    });
  });

  it('continues if some images fail, and fails if all do', async () => {
    await withRunner(async (fixture) => {
      fixture.faults.set('bad', new Failure('corrupt_image', 'Bad.'));
      fixture.faults.set('big', new Failure('image_too_large', 'Big.'));
      await fixture.runner.start();
      const [mixed, same, different] = [
        await fixture.send(['bad', 'good']),
        await fixture.send(['bad', 'bad']),
        await fixture.send(['bad', 'big']),
      ];
      const one = await fixture.ended(mixed);
      assert.deepEqual([one.status, statuses(one), one.error], ['done', ['failed', 'done'], null]);
      assert.deepEqual(one.results[0]!.error, { code: 'corrupt_image', message: 'Bad.' });
      const two = await fixture.ended(same);
      assert.deepEqual([two.status, two.error], ['failed', { code: 'corrupt_image', message: 'Bad.' }]);
      assert.equal(two.expires_at, null);
      const three = await fixture.ended(different);
      assert.deepEqual([three.status, three.error?.code], ['failed', 'all_items_failed']);
      assert.deepEqual(await fixture.used(), [1, 0, 5]);
      await fixture.runner.stop();
      assert.deepEqual(await fixture.files('jobs'), []);
    });
  });

  it('fails on an unexpected error, which is logged', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      await fixture.runner.start();
      const id = await fixture.send(['a']);
      (await fixture.take('a')).fail(new RangeError('boom'));
      const record = await fixture.ended(id);
      assert.deepEqual([record.status, record.error?.code], ['failed', 'internal_error']);
      assert.ok(!JSON.stringify(record).includes('boom'));
      assert.ok(fixture.logged().some(({ err }) => (err as Error | undefined)?.message === 'boom'));
    });
  });

  /** Runs a job of two images while another account leaves storage for only one result. */
  const withFullStorage = (
    work: (fixture: RunnerFixture, jobId: string, makeRoom: () => Promise<void>) => Promise<void>,
  ) =>
    withRunner(
      async (fixture) => {
        const { results } = fixture.service.services;
        const { id: other } = fixture.callers.test.account;
        const description = { filename: 'x', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
        const file = await results.put(other, { ...description, data: new ArrayBuffer(80) });
        fixture.resultBytes = 10;
        const id = await fixture.send(['a', 'b'], fixture.callers.pro, 'https://hooks.example.com/');
        await fixture.runner.start();
        await fixture.until(() => fixture.itemsEnded === 1 && fixture.givenBack === 1);
        await work(fixture, id, () => results.delete(other, file.id));
      },
      { IC_STORAGE_BYTES: '100', IC_WORKERS: '1' },
    );

  it('waits while the storage is full, longer each time, even across a restart, and loses no image', {
    skip: OTHER_DATABASE,
  }, async () => {
    await withFullStorage(async (fixture, id, makeRoom) => {
      const { database } = fixture.service.services;
      const waiting = async () => (await database.jobs.items([id])).find(({ status }) => status === 'queued')!;
      for (const [at, seconds] of [15, 30, 60, 120].entries()) {
        const record = await fixture.record(id);
        assert.deepEqual([record.status, statuses(record).sort()], ['running', ['done', 'queued']]);
        assert.equal((await waiting()).nextAttemptAt, timestamp(fixture.clock.now + seconds * 1000));
        fixture.clock.now += seconds * 1000;
        if (at === 1) await fixture.kill();
        else fixture.runner.wake();
        await fixture.until(() => fixture.givenBack === at + 2);
      }
      await makeRoom();
      fixture.clock.now += 240_000;
      fixture.runner.wake();
      const record = await fixture.ended(id);
      assert.deepEqual([record.status, statuses(record)], ['done', ['done', 'done']]);
      assert.deepEqual((await fixture.used()).slice(0, 2), [2, 0]);
      assert.equal((await database.webhooks.ofJobs([id])).length, 1);
      await fixture.runner.stop();
      assert.deepEqual(await fixture.files('jobs'), []);
    });
  });

  it('fails only the images that still wait for storage shortly before their sources expire', async () => {
    await withFullStorage(async (fixture, id) => {
      fixture.clock.now = START + MAX_SOURCE_AGE_MS - 30_000;
      fixture.runner.wake();
      const record = await fixture.ended(id);
      assert.deepEqual([record.status, record.error, statuses(record).sort()], ['done', null, ['done', 'failed']]);
      assert.equal(record.results.find(({ status }) => status === 'failed')?.error?.code, 'storage_full');
      // In this job no image succeeds.
      const { results } = fixture.service.services;
      const { id: pro } = fixture.callers.pro.account;
      const url = record.results.find((result) => result.url !== null)!.url!;
      fixture.clock.now = START;
      await results.delete(pro, url.split('/').at(-1)!);
      fixture.resultBytes = 30;
      const late = await fixture.send(['c']);
      await fixture.until(() => fixture.givenBack === 2);
      fixture.clock.now = START + MAX_SOURCE_AGE_MS - 30_000;
      fixture.runner.wake();
      const { status, error } = await fixture.ended(late);
      assert.deepEqual([status, error?.code], ['failed', 'storage_full']);
      await fixture.runner.stop();
      assert.deepEqual((await fixture.used()).slice(0, 2), [1, 0]);
      assert.deepEqual(await fixture.files('jobs'), []);
    });
  });

  it('processes uploads that fill the storage', async () => {
    await withRunner(
      async (fixture) => {
        const id = await fixture.send(['abcd', 'efgh', 'ijkl', 'mnop']);
        await fixture.runner.start();
        assert.deepEqual(statuses(await fixture.ended(id)), ['done', 'done', 'done', 'done']);
        assert.equal(fixture.givenBack, 0);
      },
      { IC_STORAGE_BYTES: '32' },
    );
  });

  it('does not start an image when the allowance is used up', async () => {
    await withRunner(async (fixture) => {
      const { account } = fixture.callers.test;
      const limits = { requests: null, ai: null, total: null };
      const { meters } = fixture.service.services.database;
      await meters.reserve({ subject: account.id, period: '2026-11-21' }, { requests: 49, ai: 0 }, limits);
      await fixture.runner.start();
      const record = await fixture.ended(await fixture.send(['a', 'b'], fixture.callers.test));
      assert.deepEqual(statuses(record).sort(), ['done', 'failed']);
      const failed = record.results.find(({ status }) => status === 'failed');
      assert.equal(failed?.error?.code, 'test_limit_exceeded');
      assert.equal(record.test_mode, true);
    });
  });

  it('of a disabled account fails', async () => {
    await withRunner(async (fixture) => {
      const id = await fixture.send(['a']);
      await fixture.service.services.database.accounts.update(fixture.callers.pro.account.id, { disabled: true });
      await fixture.runner.start();
      assert.deepEqual((await fixture.ended(id)).error?.code, 'invalid_key');
    });
  });

  it('fails the images whose sources are older than an hour', async () => {
    await withRunner(async (fixture) => {
      const id = await fixture.send(['a']);
      await fixture.service.services.jobs.sources.remove(JobSources.nameOf(id, 0));
      await fixture.runner.start();
      assert.equal((await fixture.ended(id)).results[0]!.error?.code, 'expired');
    });
  });
});

describe('the images that the runner takes', () => {
  it('are one more than there are workers, across accounts', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const many = await fixture.send(['a', 'b', 'c', 'd', 'e']);
      await fixture.runner.start();
      await fixture.until(() => fixture.held.length === 3);
      const one = await fixture.send(['z'], fixture.callers.test);
      (await fixture.take('a')).finish();
      // The freed slot goes to this account, not to the fourth image of the account that has two running.
      (await fixture.take('z')).finish();
      for (const source of ['b', 'c', 'd', 'e']) (await fixture.take(source)).finish();
      assert.equal((await fixture.ended(many)).status, 'done');
      assert.equal((await fixture.ended(one)).status, 'done');
      assert.equal(fixture.most, 3);
    });
  });

  it('come from the jobs of an account in turn: one image does not wait for a hundred', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      await fixture.runner.start();
      const many = await fixture.send(Array.from({ length: 20 }, (_, n) => `many ${n}`));
      await fixture.until(() => fixture.held.length === 3);
      const one = await fixture.send(['one']);
      (await fixture.take('many 0')).finish();
      (await fixture.take('one')).finish();
      assert.equal((await fixture.ended(one)).status, 'done');
      assert.ok((await fixture.record(many)).progress.done <= 1);
    });
  });

  it('are put back without counting an attempt if the service is overloaded', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      await fixture.runner.start();
      const id = await fixture.send(['a']);
      for (let n = 0; n < 4; n += 1)
        (await fixture.take('a')).fail(new Failure('overloaded', 'Later.', { retryAfter: 0 }));
      (await fixture.take('a')).finish();
      assert.equal((await fixture.ended(id)).status, 'done');
      const [item] = await fixture.service.services.database.jobs.items([id]);
      assert.equal(item?.attempts, 1);
      assert.equal((await fixture.used())[0], 1);
    });
  });
});

describe('a job that is cancelled', () => {
  it('stops running images free of charge, and keeps finished ones', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      await fixture.runner.start();
      const id = await fixture.send(['a', 'b', 'c', 'd', 'e']);
      (await fixture.take('a')).finish();
      await fixture.until(() => fixture.events.some(({ type }) => type === 'item') && fixture.held.length === 3);
      await fixture.service.services.jobs.cancel(fixture.callers.pro.account.id, id);
      await fixture.until(() => fixture.logged().filter(({ status }) => status === 'cancelled').length === 3);
      const record = await fixture.record(id);
      assert.deepEqual(statuses(record), ['done', 'cancelled', 'cancelled', 'cancelled', 'cancelled']);
      const [used, reserved] = await fixture.used();
      assert.deepEqual([used, reserved], [1, 0]);
      assert.equal((await fixture.files('files')).length, 1);
      await fixture.runner.stop();
      assert.deepEqual(await fixture.files('jobs'), []);
    });
  });

  it('keeps nothing of an image that finished just after the cancellation', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const { database, results } = fixture.service.services;
      const id = await fixture.send(['a']);
      await fixture.runner.start();
      const held = await fixture.take('a');
      // Cancels the job after the result is written and before the transaction that records it.
      const write = results.write.bind(results);
      results.write = async (...args) => {
        const file = await write(...args);
        const end = { status: 'cancelled', errorCode: null, errorMessage: null, finishedAt: timestamp(START) } as const;
        await database.transaction(({ jobs }) => jobs.end(id, end));
        return file;
      };
      held.finish();
      await fixture.until(() => fixture.logged().some(({ status }) => status === 'cancelled'));
      const record = await fixture.record(id);
      assert.deepEqual([record.status, statuses(record), record.totals.requests], ['cancelled', ['cancelled'], 0]);
      const [used, reserved] = await fixture.used();
      assert.deepEqual([used, reserved], [0, 0]);
      assert.deepEqual(await fixture.files('files'), []);
    });
  });
});
