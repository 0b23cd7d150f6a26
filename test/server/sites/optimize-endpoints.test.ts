import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../base/id.ts';
import { verifies } from '../../support/verifies.ts';
import { refusalOf, SCANS, type ScanTestService, withDesk } from './desk.ts';

const PATH = '/api/v1/sites/optimize';
const NOW = Date.UTC(2026, 10, 21, 5, 20);
const DAY = 86_400_000;

interface Run {
  id: string;
  status: string;
  report: {
    zip_url: string | null;
    replacements: { from: string }[];
    replacements_total: number;
    pages: unknown[];
    issues: object;
    totals: { pages_scanned: number };
    expires_at: string | null;
  } | null;
  zip_url: string | null;
  replacements: unknown[] | null;
  [field: string]: unknown;
}

const start = (desk: ScanTestService, body: object = {}, key?: string) =>
  desk.send<Run>('POST', PATH, { url: 'https://example.com', ...body }, key);

describe('POST /api/v1/sites/optimize', { timeout: 120_000 }, () => {
  it('is accepted, and can be read', async () => {
    verifies('sites.optimize.start', 'sites.optimize.get', 'sites.optimize.url', 'sites.optimize.quality');
    await withDesk(
      async (desk) => {
        const { status, headers, body } = await start(desk);
        assert.equal(status, 202);
        assert.deepEqual(Object.keys(body), ['id', 'status']);
        assert.match(body.id, /^opt_[0-9A-Z]{26}$/);
        assert.equal(headers.get('location'), `${PATH}/${body.id}`);
        const run = await desk.send<Run>('GET', `${PATH}/${body.id}`);
        assert.deepEqual(run.body, {
          id: body.id,
          status: 'queued',
          url: 'https://example.com/',
          quality: 80,
          max_pages: null,
          progress: { phase: 'queued', done: 0, total: null, percent: 0, current_url: null, eta_seconds: null },
          warnings: [],
          report: null,
          zip_url: null,
          replacements: null,
          error: null,
          created_at: '2026-11-21T05:20:00.000Z',
          finished_at: null,
          expires_at: '2026-11-22T05:20:00.000Z',
        });
        const row = await desk.service.services.database.siteScans.find(body.id);
        assert.deepEqual([row?.review, row?.optimize, row?.packageId, row?.projectId], [0, 'auto', null, null]);
      },
      { now: () => NOW },
    );
  });

  it('covers 5 pages on the free plan and 50 on the pro plan', async () => {
    verifies('sites.optimize.max-pages', 'limits.optimize-pages.free', 'limits.optimize-pages.pro');
    await withDesk(async (desk) => {
      const { free, pro } = desk.keys;
      for (const [key, max_pages, allowed, warnings] of [
        [free, undefined, 5, []],
        [free, 5, 5, []],
        [free, 6, 5, ['over_limit']],
        [free, 1, 1, []],
        [pro, undefined, 50, []],
        [pro, 50, 50, []],
        [pro, 51, 50, ['over_limit']],
      ] as const) {
        const { body } = await start(desk, max_pages === undefined ? {} : { max_pages }, key);
        const row = await desk.service.services.database.siteScans.find(body.id);
        assert.equal(row?.pagesAllowed, allowed);
        const run = await desk.send<Run>('GET', `${PATH}/${body.id}`, undefined, key);
        assert.deepEqual([run.body.max_pages, run.body.warnings], [max_pages ?? null, warnings]);
      }
    });
  });

  it('is kept apart from projects', async () => {
    await withDesk(async (desk) => {
      const { body } = await start(desk, {}, desk.keys.free);
      const of = (method: string, path: string, sent?: object) => desk.send(method, path, sent, desk.keys.free);
      assert.deepEqual((await of('GET', SCANS)).body, { projects: [], total: 0, limit: 50, offset: 0 });
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal(
          (await of(method, `${SCANS}/${body.id}`, method === 'PATCH' ? {} : undefined)).status,
          404,
          method,
        );
      assert.equal((await of('GET', `${SCANS}/${body.id}/pages`)).status, 200, 'what it has found can be looked at');
      const scan = await desk.create({ url: 'https://other.example.org' }, desk.keys.free);
      assert.equal(scan.status, 201, 'it is no website that the account holds');
      assert.deepEqual(refusalOf(await of('GET', `${PATH}/${scan.body.id}`)), [404, 'not_found', 'id']);
      assert.deepEqual(refusalOf(await desk.send('GET', `${PATH}/${body.id}`)), [404, 'not_found', 'id']);
      assert.deepEqual(refusalOf(await of('GET', `${PATH}/${newId('opt')}`)), [404, 'not_found', 'id']);
    });
  });

  it('refuses invalid URLs and values out of range', async () => {
    verifies('sites.optimize.url', 'sites.optimize.quality', 'sites.optimize.max-pages');
    await withDesk(async (desk) => {
      const cases: [object, unknown[]][] = [
        [{ url: undefined }, [400, 'invalid_parameter', 'url']],
        [{ url: 'file:///etc/passwd' }, [400, 'invalid_url', 'url']],
        [{ url: 'http://10.0.0.1' }, [400, 'url_not_allowed', 'url']],
        [{ quality: 0 }, [400, 'invalid_parameter', 'quality']],
        [{ quality: 101 }, [400, 'invalid_parameter', 'quality']],
        [{ quality: '80' }, [400, 'invalid_parameter', 'quality']],
        [{ max_pages: 0 }, [400, 'invalid_parameter', 'max_pages']],
        [{ settings: {} }, [400, 'invalid_parameter', 'settings']],
      ];
      for (const [body, refusal] of cases)
        assert.deepEqual(refusalOf(await start(desk, body)), refusal, JSON.stringify(body));
      for (const quality of [1, 100]) assert.equal((await start(desk, { quality })).status, 202);
    });
  });

  it('has a report for 24 hours after it is done', async () => {
    verifies('sites.optimize.report');
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { database, results } = desk.service.services;
        // The rows of a finished run, inserted by hand.
        const rows = await desk.rows();
        await rows.page(1, { imageBytes: 40_000, bytesSaved: 20_000 });
        await rows.asset(1);
        await rows.reference(1, 1);
        await rows.output(1);
        await database.siteCrawl.changeAsset(rows.id, 1, { approval: 'auto', mapped: 1 });
        const data = new Uint8Array([1, 2]).buffer;
        const zip = {
          filename: 'package.zip',
          contentType: 'application/zip',
          format: 'zip',
          width: null,
          height: null,
        };
        const { id: fileId, bytes, sha256 } = await results.put(rows.context.scan.accountId, { data, ...zip });
        const builtAt = new Date(NOW).toISOString();
        const download = { name: 'package.zip', contentType: 'application/zip', fileId, bytes, sha256, builtAt };
        await database.siteDownloads.replace(rows.id, [{ ...download, scanId: rows.id }]);
        const expiresAt = new Date(NOW + DAY).toISOString();
        await desk.become(rows.id, 'done', { projectId: null, expiresAt, finishedAt: builtAt });

        const { body } = await desk.send<Run>('GET', `${PATH}/${rows.id}`);
        const url = `https://images.example.com${SCANS}/${rows.id}/downloads/package.zip`;
        assert.deepEqual([body.status, body.zip_url, body.report?.zip_url], ['done', url, url]);
        assert.deepEqual(body.replacements, body.report?.replacements);
        assert.deepEqual(
          body.report?.replacements.map(({ from }) => from),
          ['https://example.com/images/1.jpg'],
        );
        assert.deepEqual(
          [body.report?.replacements_total, body.report?.pages, body.report?.expires_at],
          [1, [{ url: 'https://example.com/page-1', image_bytes: 40_000, bytes_saved: 20_000 }], expiresAt],
        );
        assert.equal((await desk.fetch(url.replace('https://images.example.com', ''))).status, 200);
        now += DAY;
        const late = await desk.send<Run>('GET', `${PATH}/${rows.id}`);
        assert.deepEqual([late.body.status, late.body.report, late.body.zip_url], ['done', null, null]);
        assert.equal((await desk.fetch(url.replace('https://images.example.com', ''))).status, 410);
      },
      { now: () => now },
    );
  });

  it('is deleted one day after its files', async () => {
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { scans } = desk.service.services;
        const { body } = await start(desk);
        await desk.become(body.id, 'done');
        const { body: scan } = await desk.create();
        const status = async () => (await desk.send('GET', `${PATH}/${body.id}`)).status;
        now += 2 * DAY - 1;
        await scans.sweep();
        assert.equal(await status(), 200);
        now += 1;
        await scans.sweep();
        assert.equal(await status(), 404);
        now += 100 * DAY;
        await scans.sweep();
        assert.equal((await desk.send('GET', `${SCANS}/${scan.id}`)).status, 200, 'scans of projects stay');
      },
      { now: () => now },
    );
  });

  it('is cancelled, unless it has ended', async () => {
    await withDesk(async (desk) => {
      const { body } = await start(desk);
      const events: string[] = [];
      desk.service.services.scans.events.watch(body.id, ({ type }) => events.push(type));
      const cancelled = await desk.send<Run>('DELETE', `${PATH}/${body.id}`);
      assert.deepEqual([cancelled.status, cancelled.body.status, events], [200, 'cancelled', ['changed']]);
      assert.ok(cancelled.body.finished_at);
      assert.deepEqual((await desk.send('DELETE', `${PATH}/${body.id}`)).body, cancelled.body);
      assert.deepEqual(events, ['changed']);
    });
  });
});
