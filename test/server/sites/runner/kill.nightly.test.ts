import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../../../base/sqlite/open.ts';
import { withFolder } from '../../../support/folder.ts';
import { withServed } from '../../../support/serve-process.ts';
import { jpeg, pattern } from '../../../support/test-images.ts';
import { prepareScanner, ScanClient } from '../../../support/website/scan.ts';
import { createPage, readRows, type ScanRows, type SiteFiles, sitemap, withSite } from './scan-desk.ts';

const PAGES = 24;
const IMAGES = 30;
/** Number of requests after which each process is killed, counted from its start. */
const REQUESTS_BEFORE_KILL = [3, 14, 24, 14, 12];

const ENV = { IC_WORKERS: '2', IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };

async function website(): Promise<SiteFiles> {
  const files: SiteFiles = {
    '/robots.txt': 'Sitemap: {origin}/map.xml',
    '/map.xml': sitemap(['{origin}/1', '{origin}/2'], { '{origin}/1': '{origin}/0.jpg' }),
    '/css/a.css': '@import "b.css"; p { background: url(/1.jpg) }',
    '/css/b.css': 'p { background: url(/2.jpg) }',
    '/moved': { status: 301, headers: { location: '/3' } },
  };
  for (let number = 0; number < PAGES; number += 1)
    files[number === 0 ? '/' : `/${number}`] = createPage({
      title: `Page ${number}`,
      links: [...[number * 2 + 1, number * 2 + 2].filter((next) => next < PAGES).map(String), 'moved', 'gone'],
      images: [number, number + 1, number * 7].map((image) => `/${image % IMAGES}.jpg`),
      head: '<link rel="stylesheet" href="/css/a.css">',
    });
  for (let number = 0; number < IMAGES; number += 1)
    files[`/${number}.jpg`] = { headers: { etag: `"${number}"` }, body: await jpeg(pattern(40 + (number % 20), 30)) };
  return files;
}

/** Returns the rows that must not depend on interruptions: all except times and what came over the network. */
function stableRows({ scan, pages, ...rest }: ScanRows) {
  const { totals, warnings, status, origin } = scan;
  return {
    scan: { totals: JSON.parse(String(totals)), warnings, status, origin },
    pages: pages.map(({ fetchedAt: _, scanId: __, ...page }) => page),
    ...Object.fromEntries(
      Object.entries(rest).map(([name, rows]) => [name, rows.map(({ scanId: _, ...row }: { scanId?: string }) => row)]),
    ),
  };
}

/** Images that are worth converting. */
const HEAVY = Array.from({ length: 24 }, (_, number) => number);
/** The process is killed when this much of a phase is done. */
const PHASE_KILLS = [
  { phase: 'scanning', done: 6 },
  { phase: 'optimizing', done: 3 },
  { phase: 'optimizing', done: 10 },
];

interface ProgressRow {
  status: string;
  done: number;
  total: number | null;
}

/** Lets the database record every progress update, of whichever process. */
function logProgress(dataDir: string): void {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'));
  file.exec(`create table told (status, done, total);
    create trigger tell after update of status, progress_done, progress_total on site_scans
    begin insert into told values (new.status, new.progress_done, new.progress_total); end`);
  file.close();
}

function readProgress(dataDir: string): ProgressRow[] {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    return file.prepare('select status, done, total from told order by rowid').all() as ProgressRow[];
  } finally {
    file.close();
  }
}

describe('a service that is killed during a scan', { timeout: 900_000 }, () => {
  it('produces the same rows as one that is not killed', async () => {
    await withSite(await website(), async (site) => {
      await withFolder(async (dataDir) => {
        const key = await prepareScanner(dataDir);
        const body = { url: site.origin, optimize: 'manual', settings: { delay_ms: 0 } };
        let whole: ScanRows | undefined;
        let scanId = '';
        await withServed(
          dataDir,
          async ({ address }) => {
            const client = new ScanClient(address, key);
            const { id } = await client.start(body);
            await client.ended(id);
            whole = readRows(dataDir, id);
          },
          ENV,
        );
        const undisturbed = site.requests.splice(0).length;
        let inWork = 0;
        for (const requests of REQUESTS_BEFORE_KILL)
          await withServed(
            dataDir,
            async ({ address, child }) => {
              const exited = once(child, 'exit');
              site.onRequest = () => {
                if (site.requests.length >= requests) child.kill('SIGKILL');
              };
              site.requests.length = 0;
              if (scanId === '')
                ({ id: scanId } = await new ScanClient(address, key).start(body).catch(() => ({ id: '' })));
              await exited;
              const { pages, assets } = readRows(dataDir, scanId);
              inWork += [...pages, ...assets].filter(({ status }) => /^(?:scanning|fetching)$/.test(status)).length;
            },
            ENV,
          );
        site.onRequest = () => {};
        site.requests.length = 0;
        await withServed(dataDir, async ({ address }) => void (await new ScanClient(address, key).ended(scanId)), ENV);
        // Otherwise no work was interrupted, and the test has shown nothing.
        assert.ok(inWork > 0);
        assert.ok(site.requests.length > 0 && site.requests.length < undisturbed);
        assert.deepEqual(stableRows(readRows(dataDir, scanId)), stableRows(whole!));
      });
    });
  });

  it('reports progress that never decreases, in any phase', async () => {
    const files: SiteFiles = { '/': createPage({ images: HEAVY.map((number) => `/${number}.jpg`) }) };
    for (const number of HEAVY) files[`/${number}.jpg`] = await jpeg(pattern(300 + number, 220), 98);
    await withSite(files, async (site) => {
      await withFolder(async (dataDir) => {
        const key = await prepareScanner(dataDir);
        let scanId = '';
        logProgress(dataDir);
        for (const { phase, done } of PHASE_KILLS)
          await withServed(
            dataDir,
            async ({ address, child }) => {
              const exited = once(child, 'exit');
              const client = new ScanClient(address, key);
              if (scanId === '') ({ id: scanId } = await client.start({ url: site.origin, settings: { delay_ms: 0 } }));
              const look = () => {
                const { scan } = readRows(dataDir, scanId);
                if (scan.status === phase && Number(scan.progressDone) >= done) child.kill('SIGKILL');
              };
              // The connection ends with the process.
              await client.ended(scanId, look).catch(() => {});
              await exited;
              const { scan } = readRows(dataDir, scanId);
              assert.equal(scan.status, phase);
            },
            ENV,
          );
        await withServed(dataDir, async ({ address }) => void (await new ScanClient(address, key).ended(scanId)), ENV);
        const progress = readProgress(dataDir);
        for (const phase of ['scanning', 'optimizing', 'packaging']) {
          // The first record of a phase is its start.
          const [, ...values] = progress.filter(({ status }) => status === phase);
          assert.ok(values.length > 0, phase);
          for (const [index, { done, total }] of values.entries()) {
            const before = values[index - 1] ?? { done: 0, total: null };
            assert.ok(done >= before.done, `${phase}: ${done} after ${before.done}`);
            assert.ok(total !== null || before.total === null, `${phase}: no total after ${before.total}`);
          }
        }
        const converted = progress.filter(({ status }) => status === 'optimizing').at(-1);
        assert.deepEqual(converted, { status: 'optimizing', done: HEAVY.length, total: HEAVY.length });
      });
    });
  });
});
