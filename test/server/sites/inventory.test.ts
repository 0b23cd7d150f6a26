import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AssetRecord } from '../../../server/sites/records/asset.ts';
import type { ScanFixture } from '../../support/scan-rows.ts';
import { SITE } from '../../support/scan-rows.ts';
import { verifies } from '../../support/verifies.ts';
import { type JsonResponse, refusalOf, SCANS, type ScanTestService, withDesk } from './desk.ts';

interface Page {
  seq: number;
  url: string;
  selected: boolean;
  over_limit: boolean;
  status: string;
  skip_reason: string | null;
  [field: string]: unknown;
}
interface Pages {
  pages: Page[];
  total: number;
  limit: number;
  offset: number;
}
interface Assets {
  assets: AssetRecord[];
  total: number;
  limit: number;
  offset: number;
}

const numbers = (desk: ScanTestService, rows: ScanFixture) => async (list: 'pages' | 'assets', query: string) => {
  const { status, body } = await desk.send<Pages & Assets>('GET', `${SCANS}/${rows.id}/${list}?${query}`);
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
  return body[list].map(({ seq }) => seq);
};

describe('GET /api/v1/sites/scans/{id}/pages', { timeout: 120_000 }, () => {
  async function fill(rows: ScanFixture): Promise<void> {
    const found = { selected: 0 } as const;
    await rows.page(1, {
      title: 'Über uns',
      imageBytes: 1000,
      bytesSaved: 500,
      assets: 3,
      optimization: 'complete',
      issues: '{"heavy":2}',
      heaviestAssetSeq: 7,
      httpStatus: 200,
    });
    await rows.page(2, {
      imageBytes: 9000,
      bytesSaved: 900,
      assets: 1,
      attention: '["heavy","privacy"]',
      optimization: 'partial',
    });
    await rows.page(3, {
      status: 'failed',
      attention: '["failed"]',
      errorCode: 'url_fetch_failed',
      errorMessage: 'Expected a page.',
    });
    await rows.page(4, { status: 'found', overLimit: 1, ...found });
    await rows.page(5, { status: 'skipped', skipReason: 'robots', ...found });
  }

  it('lists all pages with their fields', async () => {
    verifies('sites.pages.list');
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await fill(rows);
      const { status, body, headers } = await desk.send<Pages>('GET', `${SCANS}/${rows.id}/pages`);
      assert.deepEqual([status, body.total, body.limit, body.offset], [200, 5, 50, 0]);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(body.pages[0], {
        seq: 1,
        url: `${SITE}/page-1`,
        final_url: null,
        canonical_url: null,
        status: 'scanned',
        skip_reason: null,
        selected: true,
        over_limit: false,
        http_status: 200,
        title: 'Über uns',
        depth: 0,
        found_by: 'link',
        html_bytes: null,
        assets: 3,
        references: 0,
        image_requests: 0,
        image_bytes: 1000,
        optimized_bytes: 500,
        bytes_saved: 500,
        saved_percent: 50,
        seconds_saved_slow_4g: 0,
        heaviest_asset_seq: 7,
        issues: { heavy: 2 },
        attention: [],
        optimization: 'complete',
        error: null,
        fetched_at: null,
      });
      assert.deepEqual(body.pages[2]?.error, { code: 'url_fetch_failed', message: 'Expected a page.' });
      assert.deepEqual([body.pages[3]?.over_limit, body.pages[4]?.skip_reason], [true, 'robots']);
    });
  });

  it('filters, sorts and paginates', async () => {
    verifies('sites.pages.filters');
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await fill(rows);
      const list = numbers(desk, rows);
      const cases: [string, number[]][] = [
        ['status=failed', [3]],
        ['status=failed,found', [3, 4]],
        ['over_limit=true', [4]],
        ['over_limit=0', [1, 2, 3, 5]],
        ['q=PAGE-2', [2]],
        ['q=%C3%9CBER', [1]],
        ['q=%25', []],
        ['attention=any', [2, 3]],
        ['attention=none', [1, 4, 5]],
        ['attention=privacy', [2]],
        ['optimization=partial', [2]],
        ['optimization=none', [3, 4, 5]],
        ['min_savings=500', [1, 2]],
        ['min_savings=501', [2]],
        ['sort=-seq', [5, 4, 3, 2, 1]],
        ['sort=url&limit=2', [1, 2]],
        ['sort=-image_bytes&limit=2', [2, 1]],
        ['sort=-bytes_saved&limit=2', [2, 1]],
        ['sort=-saved_percent&limit=2', [1, 2]],
        ['sort=-assets&limit=2', [1, 2]],
        ['sort=status', [3, 4, 1, 2, 5]],
        ['offset=3', [4, 5]],
        ['offset=9', []],
        ['status=scanned&sort=-seq&limit=1', [2]],
      ];
      for (const [query, seqs] of cases) assert.deepEqual(await list('pages', query), seqs, query);
      const { body } = await desk.send<Pages>('GET', `${SCANS}/${rows.id}/pages?status=scanned&limit=1&offset=1`);
      assert.deepEqual([body.total, body.limit, body.offset, body.pages.length], [2, 1, 1, 1]);
      for (const [query, param] of [
        ['status=lost', 'status'],
        ['status=', 'status'],
        ['status=failed,', 'status'],
        ['over_limit=yes', 'over_limit'],
        ['q=', 'q'],
        ['attention=all', 'attention'],
        ['optimization=some', 'optimization'],
        ['min_savings=-1', 'min_savings'],
        ['min_savings=1.5', 'min_savings'],
        ['sort=title', 'sort'],
        ['sort=--seq', 'sort'],
        ['limit=0', 'limit'],
        ['limit=501', 'limit'],
        ['offset=-1', 'offset'],
        ['page=1', 'page'],
        ['status=failed&status=found', 'status'],
      ] as const) {
        const answer = await desk.send('GET', `${SCANS}/${rows.id}/pages?${query}`);
        assert.deepEqual(refusalOf(answer), [400, 'invalid_parameter', param], query);
      }
    });
  });

  it('lists every image that a page uses, from all its documents', async () => {
    verifies('sites.pages.get');
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await rows.page(1);
      await rows.page(2);
      await rows.source(10, { url: `${SITE}/main.css` });
      await rows.source(11, { url: `${SITE}/imported.css` });
      await rows.source(12, { kind: 'sitemap', url: `${SITE}/sitemap.xml` });
      await rows.link(1, 10, 12);
      await rows.link(2, 12);
      await rows.link(10, 11);
      // Style sheets may import each other.
      await rows.link(11, 10);
      for (let seq = 1; seq <= 5; seq += 1) await rows.asset(seq);
      await rows.reference(1, 1, { raw: 'a.jpg', line: 7, column: 3, descriptor: '2x', lacksAlt: 1, alt: null });
      await rows.reference(1, 1, { raw: '/a.jpg' });
      await rows.reference(11, 2, { role: 'css_background', tag: null, attribute: null });
      await rows.reference(12, 3, { role: 'image_sitemap', pageSeq: 1 });
      await rows.reference(12, 4, { role: 'image_sitemap', pageSeq: 2 });
      await rows.reference(2, 5);
      interface Listed {
        seq: number;
        references: Record<string, unknown>[];
        findings: string[];
      }
      const read = async (seq: number) =>
        (await desk.send<{ seq: number; asset_list: Listed[] }>('GET', `${SCANS}/${rows.id}/pages/${seq}`)).body;
      const page = await read(1);
      assert.deepEqual([page.seq, page.asset_list.map(({ seq }) => seq)], [1, [1, 2, 3]]);
      const [own, linked, named] = page.asset_list;
      assert.deepEqual(own?.references[0], {
        page_seq: 1,
        page_url: `${SITE}/page-1`,
        role: 'img_src',
        tag: 'img',
        attribute: 'src',
        raw: 'a.jpg',
        descriptor: '2x',
        media: null,
        sizes: null,
        alt: null,
        loading: null,
        declared_width: null,
        declared_height: null,
        displayed_width: null,
        displayed_height: null,
        displayed_source: 'unknown',
        stylesheet_url: null,
        source_url: `${SITE}/page-1`,
        line: 7,
        column: 3,
        in_noscript: false,
      });
      assert.deepEqual(own?.references.length, 2);
      assert.deepEqual(
        [linked, named].map((each) =>
          each?.references.map((one) => [one.page_seq, one.stylesheet_url, one.source_url]),
        ),
        [[[null, `${SITE}/imported.css`, `${SITE}/imported.css`]], [[1, null, `${SITE}/sitemap.xml`]]],
      );
      assert.deepEqual(
        (await read(2)).asset_list.map(({ seq }) => seq),
        [4, 5],
      );
      for (const [seq, refusal] of [
        ['3', [404, 'not_found', 'seq']],
        ['0', [404, 'not_found', 'seq']],
        ['99999999999', [404, 'not_found', 'seq']],
        ['x', [400, 'invalid_parameter', 'seq']],
        ['1?all=1', [400, 'invalid_parameter', 'all']],
      ] as const)
        assert.deepEqual(refusalOf(await desk.send('GET', `${SCANS}/${rows.id}/pages/${seq}`)), refusal, seq);
    });
  });
});

describe('the selection of pages', { timeout: 120_000 }, () => {
  /** Creates ten pages of which the first three are selected; five are allowed. */
  async function chosen(
    desk: ScanTestService,
  ): Promise<{ rows: ScanFixture; ticked(): Promise<number[]>; patch: Patch }> {
    const rows = await desk.rows();
    await desk.service.services.database.siteScans.change(rows.id, { pagesAllowed: 5 });
    for (let seq = 1; seq <= 10; seq += 1) await rows.page(seq, { status: 'found', selected: Number(seq <= 3) });
    await rows.page(11, { status: 'skipped', skipReason: 'robots', selected: 0 });
    await desk.become(rows.id, 'review');
    const ticked = async () =>
      (await desk.send<Pages>('GET', `${SCANS}/${rows.id}/pages`)).body.pages
        .filter(({ selected }) => selected)
        .map(({ seq }) => seq);
    return { rows, ticked, patch: (body) => desk.send('PATCH', `${SCANS}/${rows.id}`, body) };
  }
  type Patch = (body: object) => Promise<JsonResponse>;

  it('selects and deselects by number, within the limits', async () => {
    verifies('sites.scans.update.select', 'sites.scans.update.pages', 'sites.scans.update.selected');
    await withDesk(async (desk) => {
      const { rows, ticked, patch } = await chosen(desk);
      const first = await patch({ action: 'select', pages: [4, 4], selected: true });
      assert.deepEqual([first.status, first.body.totals.pages_selected, first.body.warnings], [200, 4, []]);
      assert.deepEqual(await ticked(), [1, 2, 3, 4]);
      await patch({ action: 'select', pages: [1, 2], selected: false });
      assert.deepEqual(await ticked(), [3, 4]);
      const unknown = await patch({ action: 'select', pages: [3, 11, 99] });
      assert.deepEqual(unknown.body.warnings, ['unknown_numbers']);
      assert.deepEqual(await ticked(), [3, 4]);
      const many = await patch({ action: 'select', pages: [10, 9, 8, 7, 6] });
      assert.deepEqual(many.body.warnings, ['unknown_numbers', 'over_limit']);
      assert.deepEqual(await ticked(), [3, 4, 6, 7, 8]);
      const page = async (seq: number) => await desk.service.services.database.siteInventory.page(rows.id, seq);
      assert.deepEqual([(await page(8))?.overLimit, (await page(9))?.overLimit], [0, 1]);
      assert.equal(many.body.totals.pages_over_limit, 2);
      await patch({ action: 'select', pages: [3], selected: false });
      await patch({ action: 'select', pages: [9] });
      assert.deepEqual([await ticked(), (await page(9))?.overLimit], [[4, 6, 7, 8, 9], 0]);
    });
  });

  it('selects and deselects by pattern', async () => {
    verifies('sites.scans.update.patterns');
    await withDesk(async (desk) => {
      const { ticked, patch } = await chosen(desk);
      await patch({ action: 'select', selected: false });
      assert.deepEqual(await ticked(), []);
      await patch({ action: 'select', include: ['/page-?'], exclude: ['re:[1-5]$'] });
      assert.deepEqual(await ticked(), [6, 7, 8, 9]);
      await patch({ action: 'select', exclude: ['/page-6', '/page-7'], selected: false });
      assert.deepEqual(await ticked(), [6, 7]);
    });
  });

  it('starts with the selected pages, with only the named pages, or with none', async () => {
    verifies('sites.scans.update.start', 'sites.scans.update.settings');
    await withDesk(async (desk) => {
      const statuses = async (rows: ScanFixture, wanted: string) =>
        await numbers(desk, rows)('pages', `status=${wanted}&limit=500`);
      const plain = await chosen(desk);
      const started = await plain.patch({ action: 'start', settings: { quality: 55 } });
      assert.deepEqual(
        [started.body.status, started.body.settings.quality, started.body.settings.mode],
        ['scanning', 55, 'quality'],
      );
      assert.deepEqual(await statuses(plain.rows, 'queued'), [1, 2, 3]);
      assert.deepEqual(await statuses(plain.rows, 'skipped'), [4, 5, 6, 7, 8, 9, 10, 11]);

      const named = await chosen(desk);
      await named.patch({ action: 'start', pages: [2, 5] });
      assert.deepEqual(await statuses(named.rows, 'queued'), [2, 5]);

      const without = await chosen(desk);
      await without.patch({ action: 'start', pages: [2], selected: false });
      assert.deepEqual(await statuses(without.rows, 'queued'), [1, 3]);

      const matched = await chosen(desk);
      await matched.patch({ action: 'start', include: ['/page-1*'] });
      assert.deepEqual(await statuses(matched.rows, 'queued'), [1, 10]);

      const none = await chosen(desk);
      const refused = await none.patch({ action: 'start', include: ['/nowhere'] });
      assert.deepEqual(refusalOf(refused), [409, 'invalid_state', 'action']);
      assert.deepEqual(await none.ticked(), [1, 2, 3], 'what is refused changes nothing');

      await desk.become(named.rows.id, 'done');
      assert.deepEqual(refusalOf(await plain.patch({ action: 'start' })), [409, 'invalid_state', 'action']);
    });
  });

  it('continues after a scan with the pages selected since', async () => {
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await rows.page(1);
      await rows.page(2, { status: 'skipped', skipReason: 'not_selected', selected: 0 });
      await rows.page(3, { status: 'skipped', skipReason: 'duplicate', selected: 0 });
      await desk.become(rows.id, 'ready');
      const patch: Patch = (body) => desk.send('PATCH', `${SCANS}/${rows.id}`, body);
      assert.deepEqual(refusalOf(await patch({ action: 'start' })), [409, 'invalid_state', 'action']);
      assert.deepEqual((await patch({ action: 'select', pages: [1, 2, 3] })).body.warnings, ['unknown_numbers']);
      assert.equal((await patch({ action: 'start' })).body.status, 'scanning');
      assert.deepEqual(await numbers(desk, rows)('pages', 'status=queued'), [2]);
    });
  });

  it('retries failed pages and images, and only those', async () => {
    await withDesk(async (desk) => {
      for (const [from, stoppedIn, to] of [
        ['done', null, 'scanning'],
        ['failed', 'scanning', 'scanning'],
        ['cancelled', 'optimizing', 'optimizing'],
        ['cancelled', 'queued', 'queued'],
        ['cancelled', 'review', 'review'],
      ] as const) {
        const rows = await desk.rows();
        await rows.page(1);
        await rows.page(2, { status: 'failed', errorCode: 'url_fetch_failed', errorMessage: 'No.' });
        await rows.page(3, { status: 'scanning' });
        await rows.asset(1, { status: 'failed', errorCode: 'corrupt_image', errorMessage: 'No.' });
        await rows.asset(2, { status: 'fetching' });
        await rows.asset(3, { status: 'optimizing' });
        await desk.become(rows.id, from, { stoppedIn, progressDone: 5 });
        const { body } = await desk.send('PATCH', `${SCANS}/${rows.id}`, { action: 'retry' });
        assert.equal(body.status, to);
        const { siteInventory } = desk.service.services.database;
        const pages = await Promise.all([1, 2, 3].map((seq) => siteInventory.page(rows.id, seq)));
        const assets = await Promise.all([1, 2, 3].map((seq) => siteInventory.asset(rows.id, seq)));
        const again = to === 'scanning';
        assert.deepEqual(
          [...pages, ...assets].map((each) => [each?.status, each?.errorCode]),
          [
            ['scanned', null],
            again ? ['queued', null] : ['failed', 'url_fetch_failed'],
            ['queued', null],
            again ? ['found', null] : ['failed', 'corrupt_image'],
            ['found', null],
            ['ready', null],
          ],
          `${from} ${stoppedIn}`,
        );
        assert.equal(body.progress.done, to === 'review' ? 5 : 0);
      }
    });
  });
});

describe('GET /api/v1/sites/scans/{id}/assets', { timeout: 120_000 }, () => {
  async function fill(desk: ScanTestService): Promise<ScanFixture> {
    const rows = await desk.rows();
    await rows.page(1);
    await rows.page(2);
    await rows.asset(1, {
      bytes: 50_000,
      pages: 2,
      references: 3,
      roles: '["img_src"]',
      displayedWidth: 320,
      displayedSource: 'attribute',
    });
    await rows.asset(2, {
      kind: 'vector',
      format: 'svg',
      bytes: 900,
      status: 'skipped',
      skipReason: 'vector',
      width: 24,
    });
    await rows.asset(3, {
      url: `${SITE}/Ärger.png`,
      status: 'failed',
      errorCode: 'url_fetch_failed',
      errorMessage: 'No.',
      bytes: null,
    });
    await rows.asset(4, { kind: 'animation', animated: 1, bytes: 90_000, width: 1600 });
    await rows.output(1, { bytes: 30_000 });
    await rows.output(4, { bytes: 10_000 });
    await desk.service.services.database.siteCrawl.changeAsset(rows.id, 1, {
      approval: 'approved',
      mapped: 1,
      savedPercent: 40,
    });
    await rows.reference(1, 1);
    await rows.reference(1, 2);
    await rows.reference(2, 1);
    await rows.reference(2, 1);
    return rows;
  }

  it('lists all images with their fields', async () => {
    verifies('sites.assets.list');
    await withDesk(async (desk) => {
      const rows = await fill(desk);
      const { body } = await desk.send<Assets>('GET', `${SCANS}/${rows.id}/assets?sort=seq`);
      assert.deepEqual([body.total, body.limit, body.offset], [4, 50, 0]);
      const [first] = body.assets;
      const file = `https://images.example.com${SCANS}/${rows.id}/assets/1/file`;
      assert.deepEqual(first, {
        seq: 1,
        url: `${SITE}/images/1.jpg`,
        final_url: null,
        kind: 'raster',
        status: 'optimized',
        skip_reason: null,
        approval: 'approved',
        mapped: true,
        format: 'jpeg',
        content_type: 'image/jpeg',
        bytes: 50_000,
        width: 800,
        height: 600,
        frames: null,
        animated: false,
        has_alpha: false,
        external: false,
        sha256: '1'.padStart(64, '0'),
        fingerprint: null,
        http_status: 200,
        cache_control: 'max-age=86400',
        etag: null,
        last_modified: null,
        roles: ['img_src'],
        pages: 2,
        references: 3,
        largest_displayed: { width: 320, height: null, source: 'attribute' },
        findings: [],
        duplicate_of: null,
        optimized: {
          id: 'o1',
          filename: '1.webp',
          format: 'webp',
          bytes: 30_000,
          width: 800,
          height: 600,
          quality: 80,
          similarity: 0.99,
          sha256: 'f1'.padStart(64, '0'),
          url: file,
        },
        variants: [],
        candidates: [],
        bytes_saved: 20_000,
        saved_percent: 40,
        error: null,
      });
      assert.deepEqual(body.assets[2]?.error, { code: 'url_fetch_failed', message: 'No.' });
    });
  });

  it('filters, sorts and paginates', async () => {
    verifies('sites.assets.filters');
    await withDesk(async (desk) => {
      const rows = await fill(desk);
      const list = numbers(desk, rows);
      const cases: [string, number[]][] = [
        ['', [4, 1, 2, 3]],
        ['kind=vector', [2]],
        ['kind=vector,animation', [4, 2]],
        ['status=optimized', [4, 1]],
        ['status=failed,skipped', [2, 3]],
        ['page=1', [1, 2]],
        ['page=2', [1]],
        ['page=3', []],
        ['q=%C3%A4RGER', [3]],
        ['q=images&sort=-seq', [4, 2, 1]],
        ['min_savings=20001', [4]],
        ['mapped=true', [1]],
        ['mapped=false', [4, 2, 3]],
        ['sort=seq', [1, 2, 3, 4]],
        ['sort=url&limit=1', [1]],
        ['sort=-bytes&limit=2', [4, 1]],
        ['sort=-saved_percent&limit=1', [1]],
        ['sort=-references&limit=1', [1]],
        ['sort=-pages&limit=1', [1]],
        ['sort=-width&limit=1', [4]],
        ['sort=status&limit=1', [3]],
        ['sort=bytes_saved', [2, 3, 1, 4]],
        ['offset=2&limit=1', [2]],
      ];
      for (const [query, seqs] of cases) assert.deepEqual(await list('assets', query), seqs, query);
      for (const [query, param] of [
        ['kind=picture', 'kind'],
        ['status=queued', 'status'],
        ['issue=ugly', 'issue'],
        ['issue=any,heavy', 'issue'],
        ['page=0', 'page'],
        ['page=one', 'page'],
        ['mapped=maybe', 'mapped'],
        ['sort=name', 'sort'],
        ['limit=501', 'limit'],
        ['over_limit=true', 'over_limit'],
      ] as const) {
        const answer = await desk.send('GET', `${SCANS}/${rows.id}/assets?${query}`);
        assert.deepEqual(refusalOf(answer), [400, 'invalid_parameter', param], query);
      }
    });
  });
});

describe('the findings of images', { timeout: 120_000 }, () => {
  it('are listed with them, can filter them, and are named on their pages', async () => {
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await rows.page(1);
      for (let seq = 1; seq <= 3; seq += 1) {
        await rows.asset(seq);
        await rows.reference(1, seq);
      }
      const finding = (assetSeq: number, code: string) => ({
        scanId: rows.id,
        assetSeq,
        code,
        severity: 'warning' as const,
        message: 'It is heavy.',
        savingsBytes: 5000,
        references: '[1]',
        data: '{"limit":7}',
      });
      await desk.service.services.database.siteAssessment.replaceFindings(rows.id, 1, 3, [
        finding(1, 'wrong_format'),
        finding(1, 'heavy'),
        finding(3, 'heavy'),
      ]);
      const list = numbers(desk, rows);
      const cases: [string, number[]][] = [
        ['issue=heavy&sort=seq', [1, 3]],
        ['issue=wrong_format', [1]],
        ['issue=wrong_format,heavy&sort=seq', [1, 3]],
        ['issue=broken', []],
        ['issue=any&sort=seq', [1, 3]],
        ['issue=none', [2]],
      ];
      for (const [query, seqs] of cases) assert.deepEqual(await list('assets', query), seqs, query);
      const { body } = await desk.send<AssetRecord>('GET', `${SCANS}/${rows.id}/assets/1`);
      assert.deepEqual(body.findings[0], {
        code: 'heavy',
        severity: 'warning',
        message: 'It is heavy.',
        savings_bytes: 5000,
        references: [1],
        places: [{ page: 1, url: 'https://example.com/page-1', line: 1, column: 1, markup: '<img src="x">' }],
        data: { limit: 7 },
      });
      const page = await desk.send<{ asset_list: { findings: string[] }[] }>('GET', `${SCANS}/${rows.id}/pages/1`);
      assert.deepEqual(
        page.body.asset_list.map(({ findings }) => findings),
        [['heavy', 'wrong_format'], [], ['heavy']],
      );
    });
  });
});

describe('one image', { timeout: 120_000 }, () => {
  interface Detail extends AssetRecord {
    page_list: { seq: number; url: string; references: number }[];
    replacement: { from: string; to_path: string; approval: string; to_bytes: number } | null;
  }

  async function fill(desk: ScanTestService): Promise<ScanFixture> {
    const rows = await desk.rows();
    for (let seq = 1; seq <= 4; seq += 1) await rows.page(seq, seq === 4 ? { status: 'found' } : {});
    await rows.source(10, { url: `${SITE}/main.css` });
    await rows.source(11, { url: `${SITE}/imported.css` });
    await rows.link(1, 10);
    await rows.link(2, 10, 11);
    await rows.link(4, 10);
    await rows.link(10, 11);
    await rows.asset(1, { roles: '["img_src"]' });
    await rows.reference(1, 1);
    await rows.reference(1, 1);
    await rows.reference(11, 1);
    await rows.output(1);
    const { siteOutputs } = desk.service.services.database;
    const output = (await siteOutputs.of(rows.id, 1))[0]!;
    const other = {
      ...output,
      id: 'c2',
      kind: 'candidate',
      filename: '1.avif',
      format: 'avif',
      bytes: 35_900,
    } as const;
    const variant = { ...output, id: 'w400', kind: 'variant', width: 400, bytes: 9000 } as const;
    await siteOutputs.replace(rows.id, 1, [output, other, variant], new Date(0).toISOString());
    return rows;
  }

  it('is returned with its pages and its line of the replacement map', async () => {
    verifies('sites.assets.get');
    await withDesk(async (desk) => {
      const rows = await fill(desk);
      const path = `${SCANS}/${rows.id}/assets/1`;
      const { status, body } = await desk.send<Detail>('GET', path);
      assert.equal(status, 200);
      assert.deepEqual(body.page_list, [
        { seq: 1, url: `${SITE}/page-1`, references: 3 },
        { seq: 2, url: `${SITE}/page-2`, references: 1 },
      ]);
      assert.deepEqual(
        [body.optimized?.id, body.candidates.map(({ id }) => id), body.variants.map(({ id }) => id)],
        ['o1', ['c2'], ['w400']],
      );
      assert.equal(body.candidates[0]?.url, `https://images.example.com${path}/file?which=candidate&id=c2`);
      assert.equal(body.replacement, null);
      await desk.send('PATCH', path, { approval: 'auto' });
      const { replacement } = (await desk.send<Detail>('GET', path)).body;
      assert.deepEqual(
        [replacement?.from, replacement?.to_path, replacement?.approval, replacement?.to_bytes],
        [`${SITE}/images/1.jpg`, '/images/1.webp', 'auto', 20_000],
      );
      assert.deepEqual(refusalOf(await desk.send('GET', `${SCANS}/${rows.id}/assets/2`)), [404, 'not_found', 'seq']);
    });
  });

  it('is approved, rejected or left to the rules, with immediate effect', async () => {
    verifies('sites.assets.approval');
    await withDesk(async (desk) => {
      const rows = await fill(desk);
      const path = `${SCANS}/${rows.id}/assets/1`;
      const events: string[] = [];
      desk.service.services.scans.events.watch(rows.id, ({ type }) => events.push(type));
      const decide = async (body: object) => {
        const { status, body: asset } = await desk.send<AssetRecord>('PATCH', path, body);
        assert.equal(status, 200, JSON.stringify(asset));
        const { totals } = (await desk.send('GET', `${SCANS}/${rows.id}`)).body;
        assert.equal(totals.assets_mapped, Number(asset.mapped));
        return [asset.approval, asset.mapped, asset.optimized?.id, asset.bytes_saved, asset.saved_percent];
      };
      assert.deepEqual(await decide({ approval: 'auto' }), ['auto', true, 'o1', 20_000, 50]);
      assert.deepEqual(await decide({ approval: 'rejected' }), ['rejected', false, 'o1', 20_000, 50]);
      assert.deepEqual(await decide({ approval: 'approved' }), ['approved', true, 'o1', 20_000, 50]);
      assert.deepEqual(await decide({ approval: 'approved', candidate: 'c2' }), ['approved', true, 'c2', 4100, 10.3]);
      // Each result is listed once, and the previous one can be chosen again.
      const { candidates } = (await desk.send<AssetRecord>('GET', path)).body;
      assert.deepEqual(
        candidates.map(({ id, url }) => [id, url]),
        [['o1', `https://images.example.com${path}/file?which=candidate&id=o1`]],
      );
      // It saves more than 4,096 bytes and 10%.
      assert.deepEqual(await decide({ approval: 'auto' }), ['auto', true, 'c2', 4100, 10.3]);
      assert.deepEqual(await decide({ approval: 'auto', candidate: 'o1' }), ['auto', true, 'o1', 20_000, 50]);
      assert.deepEqual(events, ['asset', 'asset', 'asset', 'asset', 'asset', 'asset']);
      for (const [body, param] of [
        [{}, 'approval'],
        [{ approval: 'yes' }, 'approval'],
        [{ approval: 'auto', candidate: 'c9' }, 'candidate'],
        [{ approval: 'auto', candidate: 'w400' }, 'candidate'],
        [{ approval: 'auto', seq: 1 }, 'seq'],
      ] as const)
        assert.deepEqual(refusalOf(await desk.send('PATCH', path, body)), [400, 'invalid_parameter', param]);
    });
  });
});

describe('the approval of an image', () => {
  it('does not overwrite concurrent changes of the scan', async () => {
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await rows.asset(1);
      const { siteScans } = desk.service.services.database;
      const path = `${SCANS}/${rows.id}`;
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from('{"approval":'));
          // By now the service has started to process the request.
          for (let turn = 0; turn < 5; turn += 1) await desk.send('GET', path);
          await siteScans.change(rows.id, { totals: JSON.stringify({ references: 77 }) });
          controller.enqueue(Buffer.from('"approved"}'));
          controller.close();
        },
      });
      const headers = { authorization: `Bearer ${desk.keys.pro}`, 'content-type': 'application/json' };
      const init = { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit;
      const response = await desk.service.call(`${path}/assets/1`, init);
      assert.equal(response.status, 200, await response.text());
      assert.equal(JSON.parse((await siteScans.find(rows.id))!.totals!).references, 77);
    });
  });
});

describe('the action optimize', { timeout: 120_000 }, () => {
  it('selects all convertible images, some, or those of given pages', async () => {
    verifies('sites.scans.update.optimize', 'sites.scans.update.assets', 'sites.scans.update.pages');
    await withDesk(async (desk) => {
      const wanted = async (body: object) => {
        const rows = await desk.rows();
        await rows.page(1);
        await rows.page(2);
        await rows.asset(1);
        await rows.asset(2, { status: 'skipped', skipReason: 'over_limit' });
        await rows.asset(3, { status: 'skipped', skipReason: 'no_gain' });
        await rows.asset(4);
        await rows.output(4);
        await rows.asset(5, { status: 'failed', sha256: null });
        await rows.asset(6, { kind: 'data_uri' });
        await rows.asset(7, { status: 'skipped', skipReason: 'third_party' });
        await rows.asset(8, { wanted: 1, status: 'failed' });
        await rows.reference(1, 1);
        await rows.reference(1, 4);
        await rows.reference(1, 5);
        await rows.reference(2, 3);
        await desk.become(rows.id, 'done', { finishedAt: 'x' });
        const answer = await desk.send('PATCH', `${SCANS}/${rows.id}`, { action: 'optimize', ...body });
        assert.deepEqual([answer.status, answer.body.status, answer.body.finished_at], [200, 'optimizing', null]);
        const { siteInventory } = desk.service.services.database;
        const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((seq) => siteInventory.asset(rows.id, seq)));
        return [all.filter((asset) => asset?.wanted).map((asset) => asset?.seq), answer.body.warnings];
      };
      assert.deepEqual(await wanted({}), [[1, 2], []]);
      assert.deepEqual(await wanted({ settings: { quality: 80 } }), [[1, 2], []], 'the same settings');
      assert.deepEqual(await wanted({ settings: { quality: 50 } }), [[1, 2, 3, 4], []]);
      assert.deepEqual(await wanted({ assets: [4, 3] }), [[3, 4], []]);
      assert.deepEqual(await wanted({ assets: [4, 4, 5, 99] }), [[4], ['unknown_numbers']]);
      assert.deepEqual(await wanted({ pages: [1] }), [[1, 4], []]);
      assert.deepEqual(await wanted({ pages: [2, 9] }), [[3], ['unknown_numbers']]);
      assert.deepEqual(await wanted({ pages: [2], assets: [1] }), [[1, 3], []]);
    });
  });

  it('builds no package before anything is converted', async () => {
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      await rows.asset(1);
      await desk.become(rows.id, 'ready');
      const refused = await desk.send('PATCH', `${SCANS}/${rows.id}`, { action: 'package' });
      assert.deepEqual(refusalOf(refused), [409, 'invalid_state', 'action']);
    });
  });
});
