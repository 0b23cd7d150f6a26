import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import type { ScanFixture } from '../../support/scan-rows.ts';
import { verifies } from '../../support/verifies.ts';
import { SCANS, type ScanTestService, withDesk } from './desk.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
const DAY = 86_400_000;
const hashOf = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

async function codeOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

/** Stores a file of a scan for 30 days. */
async function store(desk: ScanTestService, rows: ScanFixture, data: Uint8Array, contentType: string, format: string) {
  const { results, database } = desk.service.services;
  const image = { filename: 'stored', contentType, format, width: 40, height: 30 };
  const content = { data: new Uint8Array(data).buffer, ...image };
  const file = await results.write(rows.context.scan.accountId, content, { seconds: 30 * 86_400 });
  await database.files.insert(file);
  return file;
}

describe('GET /api/v1/sites/scans/{id}/assets/{seq}/file', { timeout: 120_000 }, () => {
  const OPTIMIZED = new Uint8Array([1, 2, 3, 4, 5]);
  const VARIANT = new Uint8Array([6, 7]);
  const CANDIDATE = new Uint8Array([8]);

  async function fill(desk: ScanTestService): Promise<{ rows: ScanFixture; path: string }> {
    const rows = await desk.rows();
    await desk.service.services.database.siteScans.change(rows.id, {
      expiresAt: new Date(desk.service.services.now() + 30 * DAY).toISOString(),
    });
    await rows.asset(1);
    await rows.asset(2);
    const { siteOutputs } = desk.service.services.database;
    const outputs = [];
    await rows.output(1);
    const [row] = await siteOutputs.of(rows.id, 1);
    for (const [id, kind, data] of [
      ['o1', 'optimized', OPTIMIZED],
      ['w40', 'variant', VARIANT],
      ['c2', 'candidate', CANDIDATE],
    ] as const) {
      const file = await store(desk, rows, data, 'image/webp', 'webp');
      outputs.push({ ...row!, id, kind, filename: `hero-${id}.webp`, fileId: file.id, sha256: file.sha256 });
    }
    await siteOutputs.replace(rows.id, 1, outputs, new Date(0).toISOString());
    return { rows, path: `${SCANS}/${rows.id}/assets/1/file` };
  }

  it('returns the optimized file, a variant or a candidate', async () => {
    verifies('sites.assets.file.optimized', 'sites.assets.file.variant', 'sites.assets.file.candidate');
    await withDesk(
      async (desk) => {
        const { rows, path } = await fill(desk);
        for (const [query, data, filename] of [
          ['', OPTIMIZED, 'hero-o1.webp'],
          ['?which=optimized', OPTIMIZED, 'hero-o1.webp'],
          ['?which=variant&id=w40', VARIANT, 'hero-w40.webp'],
          ['?which=candidate&id=c2', CANDIDATE, 'hero-c2.webp'],
        ] as const) {
          const answer = await desk.fetch(path + query);
          assert.equal(answer.status, 200, query);
          assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), data, query);
          assert.equal(answer.headers.get('content-type'), 'image/webp');
          assert.equal(answer.headers.get('etag'), `"${hashOf(data)}"`);
          assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`^inline; filename="${filename}"`));
          assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
          assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
          const sizes = ['format', 'width', 'height', 'bytes'].map((name) => answer.headers.get(`x-ic-${name}`));
          assert.deepEqual(sizes, ['webp', '40', '30', String(data.length)]);
        }
        const saved = await desk.fetch(`${path}?download=true`);
        assert.match(saved.headers.get('content-disposition') ?? '', /^attachment; filename="hero-o1[.]webp"/);
        await saved.arrayBuffer();
        // Without `which` the response is the chosen result.
        await desk.send('PATCH', path.replace('/file', ''), { approval: 'approved', candidate: 'c2' });
        assert.deepEqual(new Uint8Array(await (await desk.fetch(path)).arrayBuffer()), CANDIDATE);
        assert.equal((await desk.send('GET', `${SCANS}/${rows.id}/assets/2/file`)).status, 404);
      },
      { now: () => NOW },
    );
  });

  it('supports ranges and conditional requests', async () => {
    await withDesk(async (desk) => {
      const { path } = await fill(desk);
      const part = await desk.fetch(path, { range: 'bytes=1-2' });
      assert.deepEqual(
        [part.status, part.headers.get('content-range'), [...new Uint8Array(await part.arrayBuffer())]],
        [206, 'bytes 1-2/5', [2, 3]],
      );
      const etag = `"${hashOf(OPTIMIZED)}"`;
      assert.equal((await desk.fetch(path, { 'if-none-match': etag })).status, 304);
      const beyond = await desk.fetch(path, { range: 'bytes=5-' });
      assert.deepEqual(await codeOf(beyond), [416, 'invalid_request']);
      const head = await desk.fetch(path, {}, 'HEAD');
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '5']);
    });
  });

  it('refuses files that do not exist', async () => {
    let now = NOW;
    await withDesk(
      async (desk) => {
        const { path } = await fill(desk);
        const cases: [string, unknown[]][] = [
          ['?which=variant&id=w41', [404, 'not_found']],
          ['?which=variant&id=c2', [404, 'not_found']],
          ['?which=candidate&id=o1', [404, 'not_found']],
          ['?which=variant', [400, 'invalid_parameter']],
          ['?id=w40', [400, 'conflicting_parameters']],
          ['?which=original&id=o1', [400, 'conflicting_parameters']],
          ['?which=best', [400, 'invalid_parameter']],
          ['?download=yes', [400, 'invalid_parameter']],
          ['?size=1', [400, 'invalid_parameter']],
        ];
        for (const [query, refusal] of cases)
          assert.deepEqual(await codeOf(await desk.fetch(path + query)), refusal, query);
        now += 30 * DAY;
        assert.deepEqual(await codeOf(await desk.fetch(path)), [410, 'expired']);
      },
      { now: () => now },
    );
  });

  it('streams the original from the website, and stores nothing', async () => {
    verifies('sites.assets.file.original');
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 9, 9, 9]);
    const drawing = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const seen: (string | undefined)[] = [];
    const website: RequestListener = (request, response) => {
      seen.push(request.headers['user-agent']);
      const data = { '/images/1.jpg': jpeg, '/2.svg': drawing, '/3.jpg': jpeg, '/5.jpg': Buffer.alloc(2_000_001) }[
        request.url!
      ];
      // The Content-Type that a website sends is not trusted.
      response.writeHead(data ? 200 : 404, { 'content-type': 'text/html' }).end(data);
    };
    await withFolder((folder) =>
      withServer(website, async ({ origin }) => {
        const plans = join(folder, 'plans.json');
        await writeFile(plans, '{"pro": {"file_bytes": 2000000}}');
        await withDesk(
          async (desk) => {
            const rows = await desk.rows({ origin });
            const known = (data: Uint8Array): Partial<SiteAsset> => ({ sha256: hashOf(data), bytes: data.length });
            await rows.asset(1, { url: `${origin}/images/1.jpg`, ...known(jpeg) });
            const svg = { kind: 'vector', format: 'svg', contentType: 'image/svg+xml' } as const;
            await rows.asset(2, { url: `${origin}/2.svg`, ...svg, ...known(drawing) });
            await rows.asset(3, { url: `${origin}/3.jpg` });
            await rows.asset(4, { url: `${origin}/4.jpg` });
            await rows.asset(5, { url: `${origin}/5.jpg` });
            await rows.asset(6, { url: 'data:image/png;abc', kind: 'data_uri' });
            await rows.asset(7, { url: 'http://10.0.0.1/7.jpg' });
            const get = (seq: number, headers = {}, query = '') =>
              desk.fetch(`${SCANS}/${rows.id}/assets/${seq}/file?which=original${query}`, headers);
            const head = async (response: Response) => [
              response.status,
              response.headers.get('content-type'),
              response.headers.get('content-disposition')?.split(';').slice(0, 2).join(';'),
            ];
            const first = await get(1);
            assert.deepEqual(await head(first), [200, 'image/jpeg', 'inline; filename="1.jpg"']);
            assert.deepEqual(
              [first.headers.get('etag'), first.headers.get('cache-control'), first.headers.get('x-ic-width')],
              [`"${hashOf(jpeg)}"`, 'no-store', '800'],
            );
            assert.deepEqual(new Uint8Array(await first.arrayBuffer()), jpeg);
            assert.match(seen[0] ?? '', /^ImagecrewBot\/1[.]0 /);
            const saved = await get(1, {}, '&download=1');
            assert.deepEqual(await head(saved), [200, 'image/jpeg', 'attachment; filename="1.jpg"']);
            const part = await get(1, { range: 'bytes=3-' });
            assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 3]);
            assert.equal((await get(1, { 'if-none-match': `"${hashOf(jpeg)}"` })).status, 304);
            assert.deepEqual(await head(await get(2)), [200, 'image/svg+xml', 'attachment; filename="2.svg"']);
            // The file is not what was scanned, so its type is unknown.
            assert.deepEqual(await head(await get(3)), [
              200,
              'application/octet-stream',
              'attachment; filename="3.jpg"',
            ]);
            assert.deepEqual(await codeOf(await get(4)), [422, 'url_fetch_failed']);
            assert.deepEqual(await codeOf(await get(5)), [413, 'file_too_large']);
            assert.deepEqual(await codeOf(await get(6)), [404, 'not_found']);
            assert.deepEqual(await codeOf(await get(7)), [400, 'url_not_allowed']);
            assert.equal(desk.service.services.results.usedBytes, 0);
            assert.equal(desk.service.services.uploads.heldBytes, 0);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', IC_PLANS_FILE: plans } },
        );
      }),
    );
  });
});

describe('GET /api/v1/sites/scans/{id}/downloads/{name}', { timeout: 120_000 }, () => {
  it('returns the built file, whole or as a range', async () => {
    verifies('sites.scans.get');
    await withDesk(async (desk) => {
      const rows = await desk.rows();
      const { database } = desk.service.services;
      const zip = zipSync({ 'mapping.json': new TextEncoder().encode('{}') });
      const contents = [
        ['package.zip', zip, 'application/zip'],
        ['report.html', new TextEncoder().encode('<p>'), 'text/html; charset=utf-8'],
        ['nginx.conf', new TextEncoder().encode('map'), 'text/plain; charset=utf-8'],
      ] as const;
      const built = [];
      for (const [name, data, contentType] of contents) {
        const { id: fileId, bytes, sha256 } = await store(desk, rows, data, contentType, 'x');
        built.push({ scanId: rows.id, name, contentType, fileId, bytes, sha256, builtAt: '2026-11-21T05:20:00.000Z' });
      }
      await database.siteDownloads.replace(rows.id, built);
      await desk.become(rows.id, 'done');
      const { downloads, expires_at } = (await desk.send('GET', `${SCANS}/${rows.id}`)).body;
      const url = (name: string) => `https://images.example.com${SCANS}/${rows.id}/downloads/${name}`;
      assert.deepEqual(downloads, {
        zip_url: url('package.zip'),
        mapping_json_url: url('mapping.json'),
        mapping_csv_url: url('mapping.csv'),
        report_html_url: url('report.html'),
        report_csv_url: url('report.csv'),
        rules: {
          nginx_url: url('nginx.conf'),
          apache_url: url('htaccess.txt'),
          netlify_url: url('redirects.txt'),
        },
        bytes: zip.length,
        sha256: hashOf(zip),
        built_at: '2026-11-21T05:20:00.000Z',
        expires_at,
      });
      const get = (name: string, headers = {}) => desk.fetch(`${SCANS}/${rows.id}/downloads/${name}`, headers);
      const whole = await get('package.zip');
      assert.deepEqual([whole.status, whole.headers.get('etag')], [200, `"${hashOf(zip)}"`]);
      assert.deepEqual(Object.keys(unzipSync(new Uint8Array(await whole.arrayBuffer()))), ['mapping.json']);
      const part = await get('package.zip', { range: 'bytes=0-1' });
      assert.deepEqual([part.status, await part.text()], [206, 'PK']);
      const report = await get('report.html');
      assert.match(report.headers.get('content-disposition') ?? '', /^attachment/, 'a page is not run here');
      assert.equal(report.headers.get('cache-control'), 'private, no-cache', 'it may be built again');
      await report.arrayBuffer();
      assert.deepEqual(await codeOf(await get('mapping.json')), [404, 'not_found']);
      assert.deepEqual(await codeOf(await get('..%2Fpackage.zip')), [404, 'not_found']);
    });
  });
});
