import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../../../base/sqlite/open.ts';
import { createLog } from '../../../../server/log.ts';
import { ScanOriginals } from '../../../../server/sites/originals.ts';
import { Progress } from '../../../../server/sites/runner/progress.ts';
import { ScanRunner } from '../../../../server/sites/runner/runner.ts';
import { localFileStores } from '../../../../storage/local-files/local-files.ts';
import { StorageQuota } from '../../../../storage/quota.ts';
import { OTHER_DATABASE } from '../../../support/database.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { withFolder } from '../../../support/folder.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { withServed } from '../../../support/serve-process.ts';
import { jpeg, pattern } from '../../../support/test-images.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { prepareScanner, ScanClient } from '../../../support/website/scan.ts';
import { SCANS, withDesk } from '../desk.ts';
import { createPage, readRows, withSite } from './scan-desk.ts';

const ENV = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };

describe('the scan runner', { timeout: 300_000 }, () => {
  it('continues a scan whose process ended twice, and fails it after the third time', async () => {
    // A scan that continues fails because of this response.
    await withSite({ '/robots.txt': { status: 500 } }, async (site) => {
      await withDesk(
        async ({ create, become, send, service: { services } }) => {
          const { siteScans } = services.database;
          const leftAfter = async (attempts: number) => {
            const { body } = await create({ url: site.origin });
            await become(body.id, 'discovering', { attempts, phaseStartedAt: body.created_at });
            return body.id;
          };
          const failureOf = async (id: string) => {
            const runner = new ScanRunner({ services, log: createLog('silent') });
            await runner.start();
            await waitUntil(async () => (await siteScans.find(id))!.status === 'failed');
            await runner.stop();
            const { errorCode, errorMessage } = (await siteScans.find(id))!;
            return { errorCode, errorMessage, requests: site.requests.splice(0).length };
          };
          const continued = await failureOf(await leftAfter(2));
          assert.deepEqual([continued.errorCode, continued.requests], ['url_fetch_failed', 1]);
          const id = await leftAfter(3);
          const { errorCode, errorMessage, requests } = await failureOf(id);
          assert.deepEqual([errorCode, requests], ['internal_error', 0]);
          assert.match(errorMessage!, /stopped 3 times/);
          await send('PATCH', `${SCANS}/${id}`, { action: 'retry' });
          assert.deepEqual(await failureOf(id), continued);
        },
        { env: ENV },
      );
    });
  });

  it('fails a scan that kills the process three times without progress', { skip: nightlyOnly }, async () => {
    const photo = await jpeg(pattern(40, 30));
    await withSite({ '/': createPage({ images: ['/poison.jpg'] }), '/poison.jpg': photo }, async (site) => {
      await withFolder(async (dataDir) => {
        const key = await prepareScanner(dataDir);
        let id = '';
        // The first process gets further: it has read the page.
        for (let attempt = 0; attempt <= 3; attempt += 1)
          await withServed(
            dataDir,
            async ({ address, child }) => {
              const exited = once(child, 'exit');
              site.onRequest = () => {
                if (site.requests.at(-1) === 'GET /poison.jpg') child.kill('SIGKILL');
              };
              const client = new ScanClient(address, key);
              const body = { url: site.origin, optimize: 'manual', settings: { delay_ms: 0 } };
              if (id === '') ({ id } = await client.start(body));
              await exited;
              const { scan } = readRows(dataDir, id);
              assert.deepEqual([scan.status, scan.attempts], ['scanning', attempt]);
            },
            ENV,
          );
        site.onRequest = () => {};
        await withServed(
          dataDir,
          async ({ address }) => {
            const client = new ScanClient(address, key);
            const { status, error } = await client.ended(id);
            assert.deepEqual([status, error?.code], ['failed', 'internal_error']);
            assert.match(error!.message, /stopped 3 times/);
            await client.json(`/api/v1/sites/scans/${id}`, 'PATCH', { action: 'retry' });
            assert.equal((await client.ended(id)).status, 'ready');
          },
          ENV,
        );
      });
    });
  });

  it('waits longer each time if the end of a scan cannot be recorded', { skip: OTHER_DATABASE }, async () => {
    await withSite({ '/robots.txt': { status: 500 } }, async (site) => {
      const clock = new FakeClock(Date.now());
      await withDesk(
        async ({ create, service: { services } }) => {
          const file = openSqlite(join(services.config.dataDir, 'imagecrew.sqlite'));
          file.exec(`create trigger no_end before update of status on site_scans when new.status = 'failed'
            begin select raise(abort, 'the disk is full'); end`);
          const { body } = await create({ url: site.origin });
          const runner = new ScanRunner({ services, log: createLog('silent'), clock });
          try {
            await runner.start();
            for (const [index, rest] of [1000, 2000].entries()) {
              await clock.untilWaiting(rest);
              assert.equal(site.requests.length, index + 1);
              clock.advance(rest);
            }
            await clock.untilWaiting(4000);
            file.exec('drop trigger no_end');
            const failed = new Promise<void>((resolve) => {
              services.scans.events.watchAll(({ type }) => type === 'changed' && resolve());
            });
            clock.advance(4000);
            await failed;
            assert.equal((await services.database.siteScans.find(body.id))?.status, 'failed');
          } finally {
            file.close();
            await runner.stop();
          }
        },
        { env: ENV },
      );
    });
  });

  it('does not count an attempt that a shutdown interrupted', async () => {
    await withSite({}, async (site) => {
      let asked = () => {};
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      site.files['/robots.txt'] = () => asked();
      await withDesk(
        async ({ create, service: { services } }) => {
          const { body } = await create({ url: site.origin });
          const runner = new ScanRunner({ services, log: createLog('silent') });
          await runner.start();
          await isAsked;
          const { siteScans } = services.database;
          assert.equal((await siteScans.find(body.id))?.attempts, 1);
          await runner.stop();
          const { status, attempts } = (await siteScans.find(body.id))!;
          assert.deepEqual([status, attempts], ['discovering', 0]);
        },
        { env: ENV },
      );
    });
  });

  it('reports progress four times a second', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    await withDesk(
      async ({ rows }) => {
        const { context } = await rows();
        const times: number[] = [];
        const progress = new Progress({ ...context, tell: () => times.push(now) });
        for (let time = 0; time < 100; time += 1, now += 10) await progress.note();
        assert.equal(times.length, 4);
      },
      { now: () => now },
    );
  });

  it('removes partial originals that a killed process has left', async () => {
    await withFolder(async (dataDir) => {
      const part = join(dataDir, 'scans', 'parts', 'scan_x_1');
      await mkdir(join(dataDir, 'scans', 'parts'), { recursive: true });
      await writeFile(part, 'half');
      const originals = await ScanOriginals.open(localFileStores(dataDir, new StorageQuota(1000)));
      await originals.removeLeftovers(Date.now() + 61_000);
      await assert.rejects(access(part));
    });
  });
});
