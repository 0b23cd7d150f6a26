import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { newId } from '../../../base/id.ts';
import { timestamp } from '../../../base/timestamp.ts';
import { JobSources } from '../../../server/jobs/sources.ts';
import type { NewJobItem } from '../../../storage/ports/job-queue.ts';
import { OTHER_DATABASE } from '../../support/database.ts';
import { bytes, type RunnerFixture, START, statuses, withRunner } from '../../support/job-runner.ts';

describe('a service that is stopped', () => {
  it('puts the running images back, and the next process finishes them', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const id = await fixture.send(['a', 'b', 'c', 'd']);
      await fixture.runner.start();
      await fixture.until(() => fixture.held.length === 3);
      await fixture.runner.stop();
      assert.deepEqual(statuses(await fixture.record(id)), ['queued', 'queued', 'queued', 'queued']);
      assert.equal((await fixture.used())[0], 0);
      fixture.holding = false;
      fixture.runner = fixture.createRunner();
      await fixture.runner.start();
      assert.equal((await fixture.ended(id)).status, 'done');
      const items = await fixture.service.services.database.jobs.items([id]);
      assert.deepEqual(
        items.map(({ attempts }) => attempts),
        [1, 1, 1, 1],
      );
      assert.deepEqual((await fixture.used()).slice(0, 2), [4, 0]);
    });
  });

  it('counts no attempt for the images that it stops, whatever their progress', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const id = await fixture.send(['a', 'b', 'c']);
      for (let stops = 0; stops < 4; stops += 1) {
        fixture.starts = stops % 2 === 0;
        await fixture.runner.start();
        await fixture.until(() => fixture.held.length === 3);
        await fixture.runner.stop();
        fixture.held.length = 0;
        fixture.runner = fixture.createRunner();
        assert.deepEqual(await fixture.attempts(id), [0, 0, 0]);
      }
    });
  });
});

describe('a service that is killed', { skip: OTHER_DATABASE }, () => {
  it('fails an image after three kills, and finishes the others', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const id = await fixture.send(['killer', 'b', 'c', 'd', 'e'], fixture.callers.pro, 'https://hooks.example.com/');
      await fixture.runner.start();
      await fixture.until(() => fixture.held.length === 3);
      await fixture.kill();
      assert.deepEqual(await fixture.attempts(id), [1, 1, 1, 0, 0]);
      // Images that were not interrupted come first. The interrupted ones run one at a time, in the order in which
      // their sources are read.
      for (const source of ['d', 'e']) (await fixture.take(source)).finish();
      await fixture.until(() => fixture.itemsEnded === 2);
      const finishUntilKiller = async () => {
        for (;;) {
          await fixture.until(() => fixture.held.length > 0);
          assert.equal(fixture.held.length, 1);
          const { source } = fixture.held[0]!;
          if (source === 'killer') return;
          const ended = fixture.itemsEnded + 1;
          (await fixture.take(source)).finish();
          await fixture.until(() => fixture.itemsEnded === ended);
        }
      };
      await finishUntilKiller();
      await fixture.kill();
      assert.deepEqual((await fixture.attempts(id))[0], 2);
      await finishUntilKiller();
      await fixture.kill();
      while (fixture.itemsEnded < 5) {
        await fixture.until(() => fixture.itemsEnded === 5 || fixture.held.length > 0);
        for (const { source } of [...fixture.held]) (await fixture.take(source)).finish();
      }
      const record = await fixture.ended(id);
      assert.deepEqual([record.status, record.error], ['done', null]);
      assert.deepEqual(statuses(record), ['failed', 'done', 'done', 'done', 'done']);
      const { error } = record.results[0]!;
      assert.equal(error?.code, 'interrupted');
      assert.match(error.message, /stopped 3 times while it worked on this image\..* Send it again/);
      assert.deepEqual((await fixture.used()).slice(0, 2), [4, 0]);
      assert.equal((await fixture.service.services.database.webhooks.ofJobs([id])).length, 1);
      const items = fixture.events
        .filter(({ type }) => type === 'item')
        .map((event) => (event as { position: number }).position);
      assert.deepEqual(items.sort(), [0, 1, 2, 3, 4]);
      await fixture.runner.stop();
      assert.deepEqual(await fixture.files('jobs'), []);
    });
  });

  it('fails a job whose images were all interrupted, with their code', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      const id = await fixture.send(['a'], fixture.callers.pro, 'https://hooks.example.com/');
      await fixture.runner.start();
      for (let kills = 0; kills < 3; kills += 1) {
        await fixture.until(() => fixture.held.length === 1);
        await fixture.kill();
      }
      const record = await fixture.ended(id);
      assert.deepEqual([record.status, record.error?.code], ['failed', 'interrupted']);
      assert.equal((await fixture.service.services.database.webhooks.ofJobs([id])).length, 1);
      assert.deepEqual((await fixture.used()).slice(0, 2), [0, 0]);
    });
  });

  it('counts no attempt for images that no worker has started', async () => {
    await withRunner(async (fixture) => {
      fixture.holding = true;
      fixture.starts = false;
      const id = await fixture.send(['a', 'b', 'c', 'd']);
      await fixture.runner.start();
      for (let kills = 0; kills < 4; kills += 1) {
        await fixture.until(() => fixture.held.length === 3);
        await fixture.kill();
        assert.deepEqual(await fixture.attempts(id), [0, 0, 0, 0]);
      }
    });
  });
});

describe('the lease of an image', () => {
  /** Runs `work` with a runner whose timer the test advances. */
  const withTimer = (t: TestContext, work: (fixture: RunnerFixture, tick: () => void) => Promise<void>) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    return withRunner((fixture) => work(fixture, () => t.mock.timers.tick(15_000)));
  };

  it('is renewed while the image is being processed', async (t) => {
    await withTimer(t, async (fixture, tick) => {
      fixture.holding = true;
      await fixture.runner.start();
      const id = await fixture.send(['a']);
      const held = await fixture.take('a');
      for (let n = 1; n <= 6; n += 1) {
        fixture.clock.now += 15_000;
        tick();
        const renewed = timestamp(fixture.clock.now + 60_000);
        while ((await fixture.service.services.database.jobs.items([id]))[0]?.leaseUntil !== renewed)
          await setImmediate();
      }
      held.finish();
      assert.equal((await fixture.ended(id)).status, 'done');
      assert.equal(fixture.most, 1);
    });
  });

  it('expires if nobody processes the image, and then another process takes it', async (t) => {
    await withTimer(t, async (fixture, tick) => {
      const { database } = fixture.service.services;
      await fixture.runner.start();
      const until = timestamp(START + 60_000);
      const id = newId('job');
      await fixture.service.services.jobs.sources.put(
        JobSources.nameOf(id, 0),
        bytes('a'),
        fixture.callers.pro.account.id,
      );
      // Another runner leases the image and dies, so the lease is not renewed.
      const source: NewJobItem = { sourceKind: 'file', source: JobSources.nameOf(id, 0), filename: null };
      const { account, key } = fixture.callers.pro;
      const pipeline = {
        pipelineName: null,
        pipelineVersion: null,
        outputName: null,
        outputs: null,
        steps: '[]',
        webhookUrl: null,
      };
      await database.transaction(async ({ jobs, jobQueue }) => {
        const now = timestamp(START);
        await jobs.insert({ id, accountId: account.id, keyId: key.id, ...pipeline, createdAt: now });
        await jobQueue.enqueue(id, [source]);
        const { item } = (await jobQueue.lease({ now, until, runningJobs: 5 }))!;
        await jobQueue.begin(item);
      });
      fixture.clock.now = START + 60_000;
      tick();
      assert.equal((await fixture.ended(id)).status, 'done');
      assert.equal((await database.jobs.items([id]))[0]?.attempts, 2);
    });
  });

  it('stops the work when it is lost, and the image is charged once', async (t) => {
    await withTimer(t, async (fixture, tick) => {
      const { database } = fixture.service.services;
      fixture.holding = true;
      await fixture.runner.start();
      const id = await fixture.send(['a']);
      const { order } = await fixture.take('a');
      await database.transaction(({ jobQueue }) => jobQueue.recover({ endedBefore: undefined, mostAttempts: 3 }));
      tick();
      (await fixture.take('a')).finish();
      assert.equal((await fixture.ended(id)).status, 'done');
      assert.equal(order.signal.aborted, true);
      assert.deepEqual((await fixture.used()).slice(0, 2), [1, 0]);
    });
  });
});
