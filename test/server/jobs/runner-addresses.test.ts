import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { newId } from '../../../base/id.ts';
import { withServer } from '../../support/http-server.ts';
import { fromUrl, LOCAL_ADDRESSES, statuses, withRunner } from '../../support/job-runner.ts';

describe('the addresses of a job', () => {
  it('are fetched, with the limit of the key, and their queries are not logged', async () => {
    await withServer(
      (request, response) => response.end(request.url?.startsWith('/big') ? Buffer.alloc(1_000_001) : 'image'),
      async ({ origin }) => {
        await withRunner(async (fixture) => {
          await fixture.runner.start();
          const items = ['/dir/photo.jpg?token=secret', '/big.jpg?token=secret'].map((path) => fromUrl(origin + path));
          const record = await fixture.ended(await fixture.accept(newId('job'), items, fixture.callers.test));
          assert.deepEqual(statuses(record), ['done', 'failed']);
          assert.equal(record.results[1]!.error?.code, 'file_too_large');
          assert.equal(record.results[0]!.input, items[0]!.source);
          assert.ok(!fixture.lines.join('').includes('secret'));
          const hosts = new Set(fixture.logged().flatMap(({ source_host: host }) => host ?? []));
          assert.deepEqual([...hosts], [new URL(origin).host]);
        }, LOCAL_ADDRESSES);
      },
    );
  });

  it('that are slow do not block the workers', async () => {
    const waiting: ServerResponse[] = [];
    await withServer(
      (_request, response) => void waiting.push(response),
      async ({ origin }) => {
        await withRunner(async (fixture) => {
          await fixture.runner.start();
          const slow = await fixture.accept(
            newId('job'),
            Array.from({ length: 5 }, () => fromUrl(`${origin}/a.jpg`)),
          );
          const quick = await fixture.send(['a'], fixture.callers.test);
          assert.equal((await fixture.ended(quick)).status, 'done');
          assert.equal((await fixture.record(slow)).progress.percent, 0);
          await fixture.service.services.jobs.cancel(fixture.callers.pro.account.id, slow);
        }, LOCAL_ADDRESSES);
      },
    );
  });

  it('that are slow, even a hundred, delay neither other accounts nor other jobs of the account', async () => {
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
        await withRunner(async (fixture) => {
          fixture.runner = fixture.createRunner(1);
          await fixture.runner.start();
          const addresses = (count: number, path: string) =>
            Array.from({ length: count }, () => fromUrl(`${origin}${path}`));
          const slow = await fixture.accept(newId('job'), addresses(100, '/slow.jpg'));
          await manyWait;
          const own = await fixture.accept(newId('job'), addresses(1, '/quick.jpg'));
          const others = [
            await fixture.send(['a', 'b'], fixture.callers.test),
            await fixture.accept(newId('job'), addresses(2, '/quick.jpg'), fixture.callers.test),
          ];
          for (const id of [own, ...others]) assert.equal((await fixture.ended(id)).status, 'done');
          // A job fetches no more images at a time than its limit.
          assert.ok(waiting.length < 16 + 8, `${waiting.length}`);
          assert.equal((await fixture.record(slow)).progress.percent, 0);
          await fixture.service.services.jobs.cancel(fixture.callers.pro.account.id, slow);
        }, LOCAL_ADDRESSES);
      },
    );
  });

  it('that are slow do not delay the other images of their job', async () => {
    await withServer(
      (request, response) => {
        if (request.url === '/quick.jpg') response.end('quick');
      },
      async ({ origin }) => {
        await withRunner(async (fixture) => {
          fixture.runner = fixture.createRunner(1);
          await fixture.runner.start();
          const items = Array.from({ length: 20 }, (_, n) => fromUrl(`${origin}/${n < 12 ? 'slow' : 'quick'}.jpg`));
          const id = await fixture.accept(newId('job'), items);
          await fixture.until(() => fixture.itemsEnded === 8);
          assert.equal((await fixture.record(id)).progress.done, 8);
          await fixture.service.services.jobs.cancel(fixture.callers.pro.account.id, id);
        }, LOCAL_ADDRESSES);
      },
    );
  });

  it('that are forbidden make their image fail', async () => {
    await withRunner(async (fixture) => {
      await fixture.runner.start();
      const record = await fixture.ended(await fixture.accept(newId('job'), [fromUrl('http://127.0.0.1/a.jpg')]));
      assert.equal(record.error?.code, 'url_not_allowed');
    });
  });
});
