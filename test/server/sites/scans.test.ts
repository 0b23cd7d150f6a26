import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openLocalEvents } from '../../../base/events.ts';
import { newId } from '../../../base/id.ts';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { grantPackage } from '../../../server/account/packages.ts';
import type { ScanRecord } from '../../../server/sites/records/scan.ts';
import { SiteScans } from '../../../server/sites/scans.ts';
import { scanSettingsSchema } from '../../../server/sites/settings.ts';
import { localFileStores } from '../../../storage/local-files/local-files.ts';
import { StorageQuota } from '../../../storage/quota.ts';
import type { SiteScanListPart } from '../../../storage/records/site-scans.ts';
import { UNTIL_RELEASED } from '../../../storage/results.ts';
import { databaseFile } from '../../../storage/sqlite/database.ts';
import { OTHER_DATABASE } from '../../support/database.ts';
import { verifies } from '../../support/verifies.ts';
import { refusalOf, SCANS, type ScanTestService, withDesk } from './desk.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
const NOW_ISO = '2026-11-21T05:20:00.000Z';
const DAY = 86_400_000;

interface Project {
  id: string;
  name: string | null;
  domain: string;
  created_at: string;
  scans: ScanRecord[];
}

const projectsOf = async ({ send, keys }: ScanTestService, key = keys.pro) =>
  (await send<{ projects: Project[] }>('GET', SCANS, undefined, key)).body.projects;

interface ListPartRow extends Pick<SiteScanListPart, 'addresses'> {
  scan_id: string;
}

function listParts({ service }: ScanTestService): ListPartRow[] {
  const file = openSqlite(databaseFile(service.services.config.dataDir), { readonly: true });
  try {
    return file
      .prepare('select scan_id, addresses from site_scan_list_parts order by scan_id, part')
      .all() as ListPartRow[];
  } finally {
    file.close();
  }
}

describe('POST /api/v1/sites/scans', { timeout: 120_000 }, () => {
  it('creates a scan with all limits of the plan', async () => {
    verifies('sites.scans.create', 'sites.scans.create.source', 'sites.scans.create.source.url', 'sites.scans.get');
    await withDesk(
      async (desk) => {
        const { status, headers, body } = await desk.create();
        assert.equal(status, 201);
        assert.equal(headers.get('location'), `${SCANS}/${body.id}`);
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('x-quota-meter'), 'none');
        assert.match(body.id, /^scan_[0-9A-Z]{26}$/);
        assert.match(body.project_id ?? '', /^proj_[0-9A-Z]{26}$/);
        const { id: _, project_id: __, settings, totals, ...rest } = body;
        assert.deepEqual(settings, scanSettingsSchema.parse({}));
        assert.equal(totals.pages_found, 0);
        assert.deepEqual(totals.issues, {});
        assert.deepEqual(rest, {
          name: null,
          domain: 'example.com',
          source: 'url',
          url: 'https://example.com/',
          status: 'queued',
          review: false,
          optimize: 'auto',
          package: null,
          limits: { max_pages: null, pages_allowed: 50, assets_allowed: 5000, bytes_allowed: 10_000_000_000 },
          progress: { phase: 'queued', done: 0, total: null, percent: 0, current_url: null, eta_seconds: null },
          downloads: {
            zip_url: null,
            mapping_json_url: null,
            mapping_csv_url: null,
            report_html_url: null,
            report_csv_url: null,
            rules: { nginx_url: null, apache_url: null, netlify_url: null },
            bytes: null,
            sha256: null,
            built_at: null,
            expires_at: null,
          },
          warnings: [],
          error: null,
          previous_scan_id: null,
          changes: null,
          created_at: NOW_ISO,
          started_at: null,
          finished_at: null,
          expires_at: '2026-12-21T05:20:00.000Z',
        });
        assert.deepEqual((await desk.send('GET', `${SCANS}/${body.id}`)).body, body);
      },
      { now: () => NOW },
    );
  });

  it('accepts all parameters', async () => {
    verifies(
      'sites.scans.create.name',
      'sites.scans.create.max-pages',
      'sites.scans.create.review',
      'sites.scans.create.optimize',
      'sites.scans.create.settings',
    );
    await withDesk(async (desk) => {
      const settings = { quality: 60, variants_widths: [480], exclude: ['/shop/**'], max_width: null };
      const asked = { name: 'Relaunch', max_pages: 7, review: true, optimize: 'manual', settings };
      const { status, body } = await desk.create(asked);
      assert.equal(status, 201);
      assert.deepEqual(body.settings, { ...scanSettingsSchema.parse({}), ...settings });
      assert.deepEqual(
        [body.name, body.review, body.optimize, body.limits.max_pages, body.limits.pages_allowed, body.warnings],
        ['Relaunch', true, 'manual', 7, 7, []],
      );
      const more = await desk.create({ max_pages: 51 });
      assert.deepEqual(
        [more.body.limits.max_pages, more.body.limits.pages_allowed, more.body.warnings],
        [51, 50, ['over_limit']],
      );
    });
  });

  it('applies the limits of each plan', async () => {
    await withDesk(async (desk) => {
      const { body } = await desk.create({}, desk.keys.free);
      assert.deepEqual(body.limits, {
        max_pages: null,
        pages_allowed: 5,
        assets_allowed: 500,
        bytes_allowed: 1_000_000_000,
      });
    });
  });

  it('accepts a sitemap, and a list with one URL per line', async () => {
    verifies('sites.scans.create.source.sitemap', 'sites.scans.create.source.list');
    await withDesk(async (desk) => {
      const sitemap = await desk.create({ source: 'sitemap', url: 'https://example.com/sitemap.xml' });
      assert.deepEqual([sitemap.status, sitemap.body.source], [201, 'sitemap']);
      const urls = '\r\nhttps://example.com/a\r\n  example.com/b \n\nhttps://elsewhere.example.org/\n';
      const list = await desk.send('POST', SCANS, { source: 'list', urls });
      assert.deepEqual(
        [list.status, list.body.source, list.body.url, list.body.domain],
        [201, 'list', null, 'example.com'],
      );
      const stored = await desk.service.services.database.siteScans.nextListPart(list.body.id);
      assert.equal(stored?.addresses, 'https://example.com/a\nhttps://example.com/b\nhttps://elsewhere.example.org/');
    });
  });

  it('counts the heap memory of a list until it is stored', async () => {
    await withDesk(async (desk) => {
      const { uploads, database } = desk.service.services;
      const insert = database.siteScans.insertListPart.bind(database.siteScans);
      let held = 0;
      database.siteScans.insertListPart = async (part) => {
        held = uploads.heldTextBytes;
        await insert(part);
      };
      const urls = Array.from({ length: 10_000 }, (_, index) => `https://example.com/${index}`).join('\n');
      assert.equal((await desk.send('POST', SCANS, { source: 'list', urls })).status, 201);
      assert.ok(held >= 5 * urls.length, `${held} bytes for a list of ${urls.length}`);
      assert.equal(uploads.heldTextBytes, 0);
    });
  });

  it('accepts a list of up to 5 MB', async () => {
    verifies('sites.scans.create.urls.size');
    await withDesk(async (desk) => {
      const line = 'https://example.com/0123456789\n';
      const fitting = line.repeat(Math.floor(5_000_000 / line.length));
      const urls = fitting + '\n'.repeat(5_000_000 - fitting.length);
      assert.equal((await desk.send('POST', SCANS, { source: 'list', urls })).status, 201);
      const more = await desk.send('POST', SCANS, { source: 'list', urls: `${urls}\n` });
      assert.deepEqual(refusalOf(more), [413, 'list_too_large', 'urls']);
      const much = await desk.send('POST', SCANS, { source: 'list', urls: 'é'.repeat(6_000_000) });
      assert.deepEqual(refusalOf(much), [413, 'list_too_large', 'urls']);
      const elsewhere = { action: 'select', include: ['/'.repeat(300_000)] };
      assert.equal((await desk.send('PATCH', `${SCANS}/${newId('scan')}`, elsewhere)).status, 404);
    });
  });

  it('stores a long list in small parts that together are the list', { skip: OTHER_DATABASE }, async () => {
    await withDesk(async (desk) => {
      const short = Array.from({ length: 2000 }, (_, index) => `https://example.com/${index}`);
      const long = Array.from({ length: 100 }, (_, index) => `https://example.com/${'a'.repeat(2000)}/${index}`);
      const urls = [...short, ...long].join('\n');
      await desk.send('POST', SCANS, { source: 'list', urls });
      const parts = listParts(desk).map(({ addresses }) => addresses);
      assert.equal(parts.join('\n'), urls);
      assert.ok(parts.every((part) => part.length <= 40_000 && part.split('\n').length <= 500));
    });
  });

  it('keeps no list of a scan that is refused or interrupted by a kill', { skip: OTHER_DATABASE }, async () => {
    await withDesk(async (desk) => {
      const { services } = desk.service;
      const urls = 'https://example.com/\n'.repeat(2000);
      const refused = await desk.send('POST', SCANS, { source: 'list', urls, project_id: newId('proj') });
      assert.equal(refused.status, 404);
      assert.deepEqual(listParts(desk), []);
      const kept = await desk.send('POST', SCANS, { source: 'list', urls });
      await services.database.siteScans.insertListPart({ scanId: newId('scan'), part: 0, addresses: urls });
      const owners = () => new Set(listParts(desk).map(({ scan_id }) => scan_id));
      assert.equal(owners().size, 2);
      await services.scans.removeOrphans();
      assert.deepEqual(owners(), new Set([kept.body.id]));
    });
  });

  it('accepts a URL without a scheme, and identifies the website by its host', async () => {
    await withDesk(async (desk) => {
      const { body } = await desk.create({ url: ' www.example.com/start ' });
      assert.deepEqual([body.url, body.domain], ['www.example.com/start', 'example.com']);
      const other = await desk.create({ url: 'HTTPS://Shop.Example.com:8443/a/../b#c' });
      assert.deepEqual(
        [other.body.url?.split('#')[0], other.body.domain],
        ['https://shop.example.com:8443/b', 'shop.example.com:8443'],
      );
    });
  });

  it('refuses invalid scans, each with its code', async () => {
    await withDesk(async (desk) => {
      const cases: [object, unknown[]][] = [
        [{ url: undefined }, [400, 'invalid_parameter', 'url']],
        [{ url: '' }, [400, 'invalid_parameter', 'url']],
        [{ url: 'ftp://example.com' }, [400, 'invalid_url', 'url']],
        [{ url: 'https://user:secret@example.com' }, [400, 'url_not_allowed', 'url']],
        [{ url: 'http://127.0.0.1/' }, [400, 'url_not_allowed', 'url']],
        [{ url: '0x7f.1' }, [400, 'url_not_allowed', 'url']],
        [{ url: 'http://localhost' }, [400, 'url_not_allowed', 'url']],
        [{ url: 'https://example.com:22/' }, [400, 'url_not_allowed', 'url']],
        [{ url: 'https://images.example.com/' }, [400, 'url_not_allowed', 'url']],
        [{ urls: 'https://example.com/' }, [400, 'conflicting_parameters', 'urls']],
        [{ source: 'list' }, [400, 'conflicting_parameters', 'url']],
        [{ source: 'list', url: undefined }, [400, 'invalid_parameter', 'urls']],
        [{ source: 'list', url: undefined, urls: ' \n' }, [400, 'invalid_parameter', 'urls']],
        [{ source: 'list', url: undefined, urls: 'example.com\nhttps://' }, [400, 'invalid_url', 'urls']],
        [{ source: 'rss' }, [400, 'invalid_parameter', 'source']],
        [{ max_pages: 0 }, [400, 'invalid_parameter', 'max_pages']],
        [{ max_pages: 1.5 }, [400, 'invalid_parameter', 'max_pages']],
        [{ review: 'yes' }, [400, 'invalid_parameter', 'review']],
        [{ optimize: 'later' }, [400, 'invalid_parameter', 'optimize']],
        [{ package: 'site_2k' }, [400, 'invalid_parameter', 'package']],
        [{ name: '' }, [400, 'invalid_parameter', 'name']],
        [{ name: 'x'.repeat(101) }, [400, 'invalid_parameter', 'name']],
        [{ settings: { concurrency: 7 } }, [400, 'invalid_parameter', 'settings.concurrency']],
        [{ settings: { include: ['re:['] } }, [400, 'invalid_parameter', 'settings.include']],
        [{ settings: 5 }, [400, 'invalid_parameter', 'settings']],
        [{ setings: {} }, [400, 'invalid_parameter', 'setings']],
        [{ project_id: newId('proj') }, [404, 'not_found', 'project_id']],
      ];
      for (const [body, refusal] of cases)
        assert.deepEqual(refusalOf(await desk.create(body)), refusal, JSON.stringify(body).slice(0, 100));
      const line = await desk.send('POST', SCANS, { source: 'list', urls: 'example.com\n\nhttps://' });
      assert.match(line.body.error.message, /line 3/);
      assert.deepEqual(await projectsOf(desk), []);
    });
  });

  it('requires a live key with the scope sites', async () => {
    await withDesk(async (desk) => {
      const { keys, services } = desk.service;
      assert.deepEqual(refusalOf(await desk.create({}, keys.pro)), [403, 'scope_required', undefined]);
      const { id: accountId } = (await services.database.accounts.findByName('ben'))!;
      const none = { monthlyLimit: null, expiresAt: null };
      const options = { accountId, name: 'test', mode: 'test', scopes: ['sites'], ...none } as const;
      const { key } = await issueKey(services.database.keys, options);
      for (const [method, path] of [
        ['POST', SCANS],
        ['GET', SCANS],
        ['GET', `${SCANS}/x`],
        ['PATCH', `${SCANS}/x`],
        ['DELETE', `${SCANS}/x`],
        ['GET', `${SCANS}/x/pages`],
        ['GET', `${SCANS}/x/assets/1/file`],
        ['GET', `${SCANS}/x/downloads/mapping.json`],
        ['GET', `${SCANS}/x/events`],
        ['POST', '/api/v1/sites/optimize'],
      ] as const) {
        const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
        const answer = await desk.send(method, path, body, key);
        assert.deepEqual(refusalOf(answer), [403, 'test_key_not_allowed', undefined], `${method} ${path}`);
        const unscoped = await desk.send(method, path, body, keys.pro);
        assert.deepEqual(refusalOf(unscoped), [403, 'scope_required', undefined], `${method} ${path}`);
      }
    });
  });

  it('queues up to fifty scans', async () => {
    await withDesk(async (desk) => {
      for (let n = 0; n < 50; n += 1) assert.equal((await desk.create()).status, 201);
      const more = await desk.create();
      assert.deepEqual(refusalOf(more), [429, 'too_many_jobs', undefined]);
      // The limit is checked before the list is read.
      const wrong = await desk.send('POST', SCANS, { source: 'list', urls: 'https://example.com\nnot an address' });
      assert.deepEqual(refusalOf(wrong), [429, 'too_many_jobs', undefined]);
      assert.ok(more.headers.get('retry-after'));
      assert.equal((await desk.create({}, desk.keys.free)).status, 201);
    });
  });
});

describe('the websites of an account', { timeout: 120_000 }, () => {
  it('are limited by the plan', async () => {
    verifies('sites.scans.create.website-limit');
    await withDesk(async (desk) => {
      const scan = (host: string, key: string) => desk.create({ url: `https://${host}/` }, key);
      const { free, pro } = desk.keys;
      assert.equal((await scan('one.example.com', free)).status, 201);
      assert.equal((await scan('one.example.com', free)).status, 201);
      const second = await scan('two.example.com', free);
      assert.deepEqual(refusalOf(second), [403, 'upgrade_required', 'url']);
      assert.match(second.body.error.message, /at most 1 website .*one[.]example[.]com/);
      for (let n = 1; n <= 5; n += 1) assert.equal((await scan(`${n}.example.com`, pro)).status, 201);
      assert.deepEqual(refusalOf(await scan('6.example.com', pro)), [403, 'upgrade_required', 'url']);
      assert.equal((await scan('5.example.com', pro)).status, 201);
    });
  });

  it('are counted until their last scan is deleted', async () => {
    await withDesk(async (desk) => {
      const { body } = await desk.create({}, desk.keys.free);
      const other = { url: 'https://other.example.org' };
      assert.equal((await desk.create(other, desk.keys.free)).status, 403);
      await desk.send('DELETE', `${SCANS}/${body.id}`, undefined, desk.keys.free);
      assert.deepEqual(await projectsOf(desk, desk.keys.free), []);
      assert.equal((await desk.create(other, desk.keys.free)).status, 201);
    });
  });

  it('keep their project when they are scanned again', async () => {
    verifies(
      'sites.scans.create.project',
      'sites.scans.create.project.domain',
      'sites.scans.create.project.joined',
      'sites.scans.list',
    );
    await withDesk(async (desk) => {
      const { body: first } = await desk.create();
      const { body: joined } = await desk.create({ url: 'http://www.example.com/other' });
      assert.deepEqual([joined.project_id, joined.previous_scan_id], [first.project_id, null]);
      await desk.become(first.id, 'done');
      await desk.become(joined.id, 'failed');
      const named = await desk.create({ project_id: first.project_id });
      assert.deepEqual([named.body.project_id, named.body.previous_scan_id], [first.project_id, first.id]);
      const { body: other } = await desk.create({ url: 'https://other.example.org' });
      const mismatch = await desk.create({ url: 'https://other.example.org', project_id: first.project_id });
      assert.deepEqual(refusalOf(mismatch), [422, 'domain_mismatch', 'url']);
      const foreign = await desk.create({ project_id: first.project_id }, desk.keys.free);
      assert.deepEqual(refusalOf(foreign), [404, 'not_found', 'project_id']);

      const projects = await projectsOf(desk);
      assert.deepEqual(
        projects.map(({ id, domain, scans }) => [id, domain, scans.map((scan) => scan.id)]),
        [
          [other.project_id, 'other.example.org', [other.id]],
          [first.project_id, 'example.com', [named.body.id, joined.id, first.id]],
        ],
      );
      const { settings, ...rest } = named.body;
      assert.deepEqual(projects[1]?.scans[0], rest);
      assert.deepEqual(await projectsOf(desk, desk.keys.free), []);
    });
  });

  it('are listed in pages, each with its last scans', async () => {
    verifies('sites.scans.list');
    await withDesk(async (desk) => {
      const domains = ['a', 'b', 'c'].map((name) => `${name}.example.com`);
      for (const domain of domains) await desk.create({ url: domain });
      const ids: string[] = [];
      for (let scan = 0; scan < 21; scan += 1) ids.push((await desk.create({ url: 'b.example.com' })).body.id);
      const read = async (query: string) => {
        const { body } = await desk.send<Record<string, unknown>>('GET', `${SCANS}${query}`);
        return { ...body, projects: (body.projects as Project[]).map(({ domain }) => domain) };
      };
      const [a, b, c] = domains;
      assert.deepEqual(await read(''), { projects: [b, c, a], total: 3, limit: 50, offset: 0 });
      assert.deepEqual(await read('?limit=1&offset=1'), { projects: [c], total: 3, limit: 1, offset: 1 });
      assert.deepEqual(await read('?offset=3'), { projects: [], total: 3, limit: 50, offset: 3 });
      const [project] = await projectsOf(desk);
      assert.deepEqual(
        project?.scans.map(({ id }) => id),
        ids.slice(1).reverse(),
      );
      for (const [query, param] of [
        ['limit=501', 'limit'],
        ['limit=0', 'limit'],
        ['offset=-1', 'offset'],
        ['x=1', 'x'],
      ])
        assert.deepEqual(refusalOf(await desk.send('GET', `${SCANS}?${query}`)), [400, 'invalid_parameter', param]);
    });
  });
});

describe('a package of pages', { timeout: 120_000 }, () => {
  it('can be chosen for a scan, and is shared by websites that are not counted', async () => {
    verifies(
      'sites.scans.create.package',
      'sites.scans.create.package.shared',
      'sites.scans.create.package.covers',
      'sites.scans.create.package.not-counted',
    );
    await withDesk(async (desk) => {
      const { database } = desk.service.services;
      const { free } = desk.keys;
      const { id: accountId } = (await database.accounts.findByName('anna'))!;
      const none = await desk.create({ package: 'site_1k' }, free);
      assert.deepEqual(refusalOf(none), [403, 'upgrade_required', 'package']);
      const pool = await grantPackage(database.packages, accountId, 'site_1k');
      const { body } = await desk.create({ package: 'site_1k' }, free);
      assert.deepEqual(
        [body.package, body.limits],
        ['site_1k', { max_pages: null, pages_allowed: 1000, assets_allowed: 20_000, bytes_allowed: 10_000_000_000 }],
      );
      assert.equal((await database.siteScans.find(body.id))?.packageId, pool.id);
      for (const host of ['a.example.org', 'b.example.org'])
        assert.equal((await desk.create({ url: `https://${host}`, package: 'site_1k' }, free)).status, 201);
      assert.equal((await desk.create({ url: 'https://c.example.org' }, free)).status, 201);
      assert.equal((await desk.create({ url: 'https://a.example.org' }, free)).status, 403);
      const other = await desk.create({ package: 'site_3k' }, free);
      assert.deepEqual(refusalOf(other), [403, 'upgrade_required', 'package']);

      for (let n = 0; n < 997; n += 1)
        await database.siteCrawl.chargePage(body.id, n, pool.id, new Date().toISOString());
      const small = await desk.create({ package: 'site_1k', max_pages: 10 }, free);
      assert.deepEqual(
        [small.body.limits.pages_allowed, small.body.limits.assets_allowed, small.body.warnings],
        [3, 60, ['over_limit']],
      );
      for (let n = 0; n < 3; n += 1) await database.siteCrawl.chargePage(body.id, n, pool.id, '');
      const empty = await desk.create({ package: 'site_1k' }, free);
      assert.deepEqual(refusalOf(empty), [403, 'upgrade_required', 'package']);
    });
  });
});

describe('a scan', { timeout: 120_000 }, () => {
  it('is visible only to its own account', async () => {
    await withDesk(async (desk) => {
      const { body } = await desk.create();
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/events'],
        ['GET', '/pages'],
        ['GET', '/pages/1'],
        ['GET', '/assets'],
        ['GET', '/assets/1'],
        ['PATCH', '/assets/1'],
        ['GET', '/assets/1/file'],
        ['GET', '/downloads/mapping.json'],
      ] as const) {
        const sent = method === 'PATCH' ? { action: 'cancel' } : undefined;
        const answer = await desk.send(method, `${SCANS}/${body.id}${path}`, sent, desk.keys.free);
        assert.deepEqual(refusalOf(answer), [404, 'not_found', 'id'], `${method} ${path}`);
      }
      assert.deepEqual(refusalOf(await desk.send('GET', `${SCANS}/${newId('scan')}`)), [404, 'not_found', 'id']);
    });
  });

  it('reports its progress and its estimated end', async () => {
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { body } = await desk.create();
        const phaseStartedAt = new Date(NOW).toISOString();
        const progress = { phaseStartedAt, progressDone: 25, progressTotal: 75, progressUrl: 'https://example.com/a' };
        await desk.become(body.id, 'scanning', progress);
        now += 10_000;
        const read = async () => (await desk.send('GET', `${SCANS}/${body.id}`)).body.progress;
        assert.deepEqual(await read(), {
          phase: 'scanning',
          done: 25,
          total: 75,
          percent: 33.3,
          current_url: 'https://example.com/a',
          eta_seconds: 20,
        });
        await desk.become(body.id, 'discovering', { progressTotal: null });
        const { total, percent, eta_seconds } = await read();
        assert.deepEqual([total, percent, eta_seconds], [null, 0, null]);
        await desk.become(body.id, 'done');
        assert.deepEqual([(await read()).percent, (await read()).current_url], [100, null]);
      },
      { now: () => now },
    );
  });

  it('is deleted with its results, files and originals', async () => {
    verifies('sites.scans.delete');
    await withDesk(async (desk) => {
      const { services } = desk.service;
      const { database, results, scans, config } = services;
      const [rows, other] = [await desk.rows({ status: 'optimizing' }), await desk.rows()];
      const files: string[] = [];
      const url = (seq: number) => `https://example.com/${seq}.css`;
      for (const each of [rows, other]) {
        const { accountId } = each.context.scan;
        const data = new Uint8Array([1, 2, 3]).buffer;
        const image = { filename: 'a.webp', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
        const file = await results.write(accountId, { data, ...image }, UNTIL_RELEASED);
        await database.files.insert(file);
        files.push(file.id);
        for (let seq = 1; seq <= 30; seq += 1) await each.page(seq);
        // More rows than are deleted at once.
        const source = { scanId: each.id, kind: 'stylesheet', pageSeq: null, status: 'found' } as const;
        const seqs = Array.from({ length: 2500 }, (_, index) => index + 100);
        await database.siteCrawl.insertSources(seqs.map((seq) => ({ ...source, seq, url: url(seq) })));
        await each.asset(1);
        await each.reference(1, 1);
        await each.output(1, { fileId: file.id });
        await scans.originals.put(each.id, 1, data);
      }
      await database.siteScans.change(other.id, { previousScanId: rows.id });
      const events: string[] = [];
      scans.events.watch(rows.id, ({ type }) => events.push(type));
      const answer = await desk.send<object>('DELETE', `${SCANS}/${rows.id}`);
      assert.deepEqual([answer.status, answer.body], [200, { deleted: true, id: rows.id }]);
      assert.deepEqual(events, ['removed']);
      for (const path of ['', '/pages', '/assets/1', '/assets/1/file', '/events'])
        assert.deepEqual(refusalOf(await desk.send('GET', `${SCANS}/${rows.id}${path}`)), [404, 'not_found', 'id']);
      const again = await desk.send('DELETE', `${SCANS}/${rows.id}`);
      assert.deepEqual(refusalOf(again), [404, 'not_found', 'id']);
      const open = await database.siteScans.running();
      assert.deepEqual(
        open.map(({ id }) => id),
        [other.id],
      );
      assert.equal(await database.siteScans.move(rows.id, 'optimizing', 'packaging'), false);
      // Another process may do the rest.
      await scans.sweep();
      await results.sweep();
      assert.equal(await database.siteInventory.page(rows.id, 30), undefined);
      assert.equal((await database.siteCrawl.knownSources(rows.id, [url(2599)])).length, 0);
      assert.deepEqual(await database.siteScans.removed(), []);
      const kept = async (folder: string) =>
        (await readdir(join(config.dataDir, folder))).filter((name) => name !== 'parts');
      assert.deepEqual(await kept('files'), [files[1]]);
      assert.deepEqual(await kept('scans'), [`${other.id}_1`]);
      const { body } = await desk.send('GET', `${SCANS}/${other.id}`);
      assert.equal(body.previous_scan_id, null);
      assert.equal((await database.siteInventory.pages(other.id, {}, SLICE)).total, 30);
    });
  });

  it('keeps its record after its files have expired, and cannot continue', async () => {
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { services } = desk.service;
        const rows = await desk.rows();
        const { id } = rows;
        const { accountId } = rows.context.scan;
        const expiresAt = new Date(NOW + 30 * DAY).toISOString();
        await desk.become(id, 'done', { expiresAt });
        const description = { filename: 'mapping.json', contentType: 'application/json', format: 'json' };
        const write = async () => {
          const data = new TextEncoder().encode('{}').buffer;
          const result = { data, ...description, width: null, height: null };
          const written = await services.results.write(accountId, result, UNTIL_RELEASED);
          await services.database.files.insert(written);
          return written;
        };
        const file = await write();
        // Images with distant numbers: their files are released in several steps.
        for (const seq of [1, 2, 5000]) {
          await rows.asset(seq);
          await rows.output(seq, { fileId: (await write()).id });
        }
        const builtAt = NOW_ISO;
        const { bytes, sha256, contentType } = file;
        const download = { scanId: id, name: 'mapping.json', contentType, fileId: file.id, bytes, sha256, builtAt };
        await services.database.siteDownloads.replace(id, [download, { ...download, name: 'package.zip' }]);
        const { body } = await desk.send('GET', `${SCANS}/${id}`);
        const url = `https://images.example.com${SCANS}/${id}/downloads/mapping.json`;
        assert.equal(body.downloads.mapping_json_url, url);
        now += 30 * DAY;
        const late = await desk.send('GET', `${SCANS}/${id}`);
        assert.deepEqual([late.status, late.body.status, late.body.downloads.mapping_json_url], [200, 'done', null]);
        const gone = await desk.send('GET', `${SCANS}/${id}/downloads/mapping.json`);
        assert.deepEqual(refusalOf(gone), [410, 'expired', undefined]);
        const again = await desk.send('PATCH', `${SCANS}/${id}`, { action: 'optimize' });
        assert.deepEqual(refusalOf(again), [410, 'expired', undefined]);
        const sweep = async () => {
          await services.scans.sweep();
          await services.results.sweep();
          return (await readdir(join(services.config.dataDir, 'files'))).length - 1;
        };
        // A scan at work keeps its files until it has ended.
        await desk.become(id, 'optimizing');
        assert.equal(await sweep(), 4);
        await desk.become(id, 'done');
        assert.equal(await sweep(), 0);
      },
      { now: () => now },
    );
  });

  it('keeps its files as long as it is in use', async () => {
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { services } = desk.service;
        const rows = await desk.rows();
        const data = new Uint8Array([1]).buffer;
        const image = { filename: 'a.webp', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
        const { accountId } = rows.context.scan;
        const file = await services.results.write(accountId, { data, ...image }, UNTIL_RELEASED);
        await services.database.files.insert(file);
        await rows.asset(1);
        await rows.output(1, { fileId: file.id });
        await desk.become(rows.id, 'done');
        now += DAY / 2;
        const { body } = await desk.send('PATCH', `${SCANS}/${rows.id}`, { action: 'package' });
        assert.equal(Date.parse(body.expires_at!), now + 30 * DAY);
        await desk.become(rows.id, 'done');
        now += 30 * DAY - 1000;
        await services.scans.sweep();
        await services.results.sweep();
        const path = `${SCANS}/${rows.id}/assets/1/file`;
        assert.equal((await desk.fetch(path)).status, 200);
        now += 1000;
        assert.equal((await desk.fetch(path)).status, 410);
      },
      { now: () => now },
    );
  });

  it('leaves no originals behind when the service is killed', async () => {
    await withDesk(async (desk) => {
      const { scans } = desk.service.services;
      const { body } = await desk.create();
      const { body: ended } = await desk.create();
      await desk.become(ended.id, 'done');
      const data = new Uint8Array([1]).buffer;
      for (const id of [body.id, ended.id, newId('scan')]) await scans.originals.put(id, 1, data.slice(0));
      const { database, config } = desk.service.services;
      const openFiles = localFileStores(config.dataDir, new StorageQuota(1000));
      const restarted = await SiteScans.open({ database, openFiles, openEvents: openLocalEvents });
      await restarted.removeOrphanFiles();
      assert.ok(await scans.originals.read(body.id, 1));
      assert.equal(await scans.originals.read(ended.id, 1), undefined);
      const names = await readdir(join(desk.service.services.config.dataDir, 'scans'));
      assert.deepEqual(
        names.filter((name) => name !== 'parts'),
        [`${body.id}_1`],
      );
    });
  });
});

const SLICE = { sort: { by: 'seq', descending: false }, offset: 0, limit: 500 } as const;
