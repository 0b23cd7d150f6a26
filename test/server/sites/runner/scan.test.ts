import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { jpeg, pattern, png, sharpOf } from '../../../support/test-images.ts';
import { verifies } from '../../../support/verifies.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { createPage, type ScanRows, type ScanService, useScanService, withSite } from './scan-desk.ts';

/** Finds an asset by the end of its address. */
function asset({ assets }: ScanRows, end: string) {
  const found = assets.find(({ url }) => url.endsWith(end));
  assert.ok(found, end);
  return found;
}

describe('the scan of pages and images', { timeout: 300_000 }, () => {
  let desk: ScanService;
  let photo: Buffer;
  const opened = useScanService();
  before(async () => {
    desk = opened();
    photo = await jpeg(pattern(96, 64));
  });

  it('identifies each image by its content, and fetches each once', async () => {
    const film = await sharpOf(pattern(32, 32)).gif().toBuffer();
    const files = {
      '/': createPage({
        images: [
          '/a.jpg',
          '/a.jpg?2',
          '/b.png',
          '/b.png#x',
          '/drawing.svg',
          '/gone.jpg',
          '/page.jpg',
          '/torn.png',
          '/film.gif',
        ],
        links: ['/other'],
        head: '<link rel="icon" href="/icon.ico">',
      }),
      '/other': createPage({
        images: ['/a.jpg', 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='],
      }),
      '/a.jpg': { headers: { 'cache-control': 'max-age=60', etag: '"1"' }, body: photo },
      '/a.jpg?2': { body: photo },
      '/b.png': await png(pattern(40, 30)),
      '/drawing.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><image href="/inside.jpg"/></svg>',
      '/inside.jpg': await jpeg(pattern(50, 50)),
      '/page.jpg': createPage(),
      '/torn.png': (await png(pattern(64, 64))).subarray(0, 40),
      '/film.gif': film,
      '/icon.ico': { status: 302, headers: { location: '/b.png' } },
    };
    await withSite(files, async (site) => {
      const rows = await desk.scan({ url: site.origin, settings: { concurrency: 6 } });
      assert.equal(rows.scan.status, 'ready');
      const first = asset(rows, '/a.jpg');
      assert.deepEqual(
        [first.kind, first.status, first.format, first.width, first.height, first.bytes],
        ['raster', 'ready', 'jpeg', 96, 64, photo.length],
      );
      assert.deepEqual([first.cacheControl, first.etag, first.httpStatus], ['max-age=60', '"1"', 200]);
      assert.equal(asset(rows, '/a.jpg?2').duplicateOf, first.seq);
      assert.equal(first.duplicateOf, null);
      assert.deepEqual([asset(rows, '/drawing.svg').kind, asset(rows, '/drawing.svg').status], ['vector', 'ready']);
      assert.deepEqual([asset(rows, '/inside.jpg').status, asset(rows, '/inside.jpg').width], ['ready', 50]);
      assert.deepEqual([asset(rows, '/gone.jpg').status, asset(rows, '/gone.jpg').httpStatus], ['failed', 404]);
      assert.deepEqual(
        [asset(rows, '/page.jpg').status, asset(rows, '/page.jpg').errorCode],
        ['failed', 'unsupported_format'],
      );
      assert.deepEqual(
        [asset(rows, '/torn.png').status, asset(rows, '/torn.png').errorCode],
        ['failed', 'corrupt_image'],
      );
      assert.equal(asset(rows, '/icon.ico').redirects, 1);
      assert.equal(asset(rows, '/b.png').duplicateOf, asset(rows, '/icon.ico').seq);
      const inline = rows.assets.find(({ kind }) => kind === 'data_uri');
      assert.deepEqual([inline?.status, inline?.skipReason, inline?.format], ['skipped', 'excluded', 'gif']);
      const images = site.fetched().filter((path) => path in files && path !== '/' && path !== '/other');
      assert.deepEqual(images.filter((path) => path !== '/b.png').length, new Set(images).size - 1);
      assert.ok(JSON.parse(first.facts ?? '').gps === false);
    });
  });

  it('reads style sheets and their imports, three levels deep, each once', async () => {
    const style = (level: number) => `@import "/${level + 1}.css"; .x { background: url(img/${level}.jpg) }`;
    const files: Record<string, string | Buffer> = {
      '/': createPage({ head: '<link rel="stylesheet" href="/css/1.css">', links: ['/two'] }),
      '/two': createPage({ head: '<link rel="stylesheet" href="/css/1.css"><link rel="manifest" href="/app.json">' }),
      '/css/1.css': style(1).replace('/2.css', '/css/2.css'),
      '/css/2.css': style(2).replace('/3.css', '/css/3.css'),
      '/css/3.css': style(3).replace('/4.css', '/css/4.css'),
      '/css/4.css': style(4),
      '/app.json': JSON.stringify({ icons: [{ src: 'icon.png' }] }),
      '/icon.png': await png(pattern(16, 16)),
    };
    for (const level of [1, 2, 3]) files[`/css/img/${level}.jpg`] = await jpeg(pattern(20 + level, 20));
    await withSite(files, async (site) => {
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual(
        rows.sources
          .filter(({ kind }) => kind !== 'sitemap')
          .map(({ url, kind, status }) => [new URL(url).pathname, kind, status])
          .sort(),
        [
          ['/', 'page', 'read'],
          ['/app.json', 'manifest', 'read'],
          ['/css/1.css', 'stylesheet', 'read'],
          ['/css/2.css', 'stylesheet', 'read'],
          ['/css/3.css', 'stylesheet', 'read'],
          ['/two', 'page', 'read'],
        ],
      );
      for (const level of [1, 2, 3]) assert.equal(asset(rows, `/css/img/${level}.jpg`).status, 'ready');
      assert.equal(asset(rows, '/icon.png').status, 'ready');
      for (const path of Object.keys(files).filter((one) => one !== '/css/4.css'))
        assert.equal(site.fetched().filter((one) => one === path).length, 1, path);
      assert.ok(!site.fetched().includes('/css/4.css'));
      const sheet = rows.sources.find(({ url }) => url.endsWith('/1.css'))!;
      assert.equal(rows.links.filter(({ toSeq }) => toSeq === sheet.seq).length, 2);
    });
  });

  it('skips excluded URLs, URLs disallowed by robots.txt and, if requested, third-party images', async () => {
    await withSite({ '/x.jpg': photo }, async (other) => {
      const foreign = `http://localhost:${other.port}/x.jpg`;
      const files = {
        '/robots.txt': 'User-agent: *\nDisallow: /no/',
        '/': createPage({ images: ['/thumbs/a.jpg', '/no/b.jpg', '/c.jpg', foreign] }),
        '/c.jpg': photo,
      };
      await withSite(files, async (site) => {
        const settings = { asset_exclude: ['/thumbs/**'] };
        const open = await desk.scan({ url: site.origin, settings });
        assert.deepEqual(
          open.assets.map(({ status, skipReason }) => [status, skipReason]),
          [
            ['skipped', 'excluded'],
            ['skipped', 'excluded'],
            ['ready', null],
            ['skipped', 'third_party'],
          ],
        );
        assert.ok(String(open.scan.warnings).includes('robots_blocked'));
        // The image is fetched for the inventory all the same.
        assert.equal(asset(open, '/x.jpg').bytes, photo.length);
        assert.equal(other.fetched().filter((path) => path === '/x.jpg').length, 1);
        const closed = await desk.scan({ url: site.origin, settings: { ...settings, external_assets: false } });
        assert.equal(asset(closed, '/x.jpg').bytes, null);
        assert.ok(String(closed.scan.warnings).includes('external_skipped'));
        assert.equal(other.fetched().filter((path) => path === '/x.jpg').length, 1);
        const own = await desk.scan({ url: site.origin, settings: { ...settings, asset_hosts: ['localhost'] } });
        assert.deepEqual([asset(own, '/x.jpg').status, asset(own, '/x.jpg').external], ['ready', 1]);
        assert.ok(!site.fetched().some((path) => path.startsWith('/no/') || path.startsWith('/thumbs/')));
      });
    });
  });

  it('detects a server that negotiates formats, with a few requests', async () => {
    await withSite({}, async (site) => {
      const images = Array.from({ length: 8 }, (_, index) => `/${index}.jpg`);
      site.files['/'] = createPage({ images });
      for (const [index, path] of images.entries()) {
        const body = await jpeg(pattern(30 + index, 20));
        site.files[path] = (request, response) => {
          const isNew = String(request.headers.accept).includes('image/webp');
          response.writeHead(200, { 'content-type': isNew ? 'image/webp' : 'image/jpeg', vary: 'Accept' });
          response.end(body);
        };
      }
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual([...new Set(rows.assets.map(({ negotiated }) => negotiated))], [1]);
      assert.equal(site.requests.filter((one) => /^HEAD .*[.]jpg$/.test(one)).length, 5);
    });
  });

  it('fetches large images one at a time up to the limit of the plan, also if their size is unknown', async () => {
    await withSite({}, async (site) => {
      // A decoder stops at the end of the image.
      const large = (bytes: number) => Buffer.concat([photo, Buffer.alloc(bytes - photo.length)]);
      const images = ['/a.jpg', '/b.jpg', '/small.jpg', '/huge.jpg'];
      site.files['/'] = createPage({ images });
      site.files['/a.jpg'] = large(5_000_000);
      site.files['/b.jpg'] = (_, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg' });
        for (let part = 0; part < 6; part += 1) response.write(part === 0 ? large(1_000_000) : Buffer.alloc(1_000_000));
        response.end();
      };
      site.files['/small.jpg'] = photo;
      site.files['/huge.jpg'] = (_, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': '200000001' });
        response.end(photo);
      };
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual(
        rows.assets.map(({ status, bytes, errorCode }) => [status, bytes, errorCode]),
        [
          ['ready', 5_000_000, null],
          ['ready', 6_000_000, null],
          ['ready', photo.length, null],
          ['failed', null, 'file_too_large'],
        ],
      );
    });
  });

  it('requests a large image of unknown size once', async () => {
    await withSite({ '/': createPage({ images: ['/large.jpg'] }) }, async (site) => {
      site.files['/large.jpg'] = (_, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg' });
        response.write(photo);
        response.end(Buffer.alloc(6_000_000));
      };
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual([rows.assets[0]?.status, rows.assets[0]?.bytes], ['ready', 6_000_000 + photo.length]);
      assert.equal(site.fetched().filter((path) => path === '/large.jpg').length, 1);
    });
  });

  it('counts every received byte, also of failed requests', async () => {
    await withSite({ '/': createPage({ head: '<link rel="stylesheet" href="/torn.css">' }) }, async (site) => {
      site.files['/robots.txt'] = `# ${'x'.repeat(100_000)}\n`;
      site.files['/torn.css'] = { headers: { 'content-encoding': 'gzip' }, body: randomBytes(50_000) };
      const { scan, sources } = await desk.scan({ url: site.origin });
      assert.equal(sources.find(({ kind }) => kind === 'stylesheet')?.status, 'failed');
      assert.ok(Number(scan.bytesFetched) > 110_000, String(scan.bytesFetched));
    });
  });

  it('reports style sheets that it skipped: disallowed, third-party or too large', async () => {
    const head = '<link rel="stylesheet" href="/no/a.css"><link rel="stylesheet" href="http://localhost:1/b.css">';
    await withSite({ '/robots.txt': 'User-agent: *\nDisallow: /no/', '/': createPage({ head }) }, async (site) => {
      const { scan } = await desk.scan({ url: site.origin, settings: { external_assets: false } });
      assert.deepEqual(JSON.parse(String(scan.warnings)).sort(), ['external_skipped', 'robots_blocked']);
      const list = await desk.scan({ source: 'list', urls: site.origin, review: true });
      const id = String(list.scan.id);
      desk.write('update site_scans set bytes_allowed = bytes_fetched + 1 where id = ?', id);
      await desk.client.json(`/api/v1/sites/scans/${id}`, 'PATCH', { action: 'start' });
      await desk.client.ended(id);
      const rows = desk.rows(id);
      assert.deepEqual([rows.pages[0]?.status, rows.scan.warnings], ['scanned', '["over_limit"]']);
    });
  });

  it('reports progress that never decreases', async () => {
    desk.write('create table progress (scan_id text, status text, done integer, total integer)');
    desk.write(`create trigger progress_told after update of progress_done on site_scans begin
      insert into progress values (new.id, new.status, new.progress_done, new.progress_total); end`);
    await withSite(
      { '/': createPage({ links: ['/a', '/b'], images: ['/0.png'] }), '/a': createPage(), '/b': createPage() },
      async (site) => {
        const images = Array.from({ length: 12 }, (_, index) => `/${index}.png`);
        site.files['/a'] = createPage({ images });
        const body = await png(pattern(8, 8));
        for (const path of images) site.files[path] = body;
        const { scan } = await desk.scan({ url: site.origin, settings: { concurrency: 6 } });
        const progress = desk.read<{ done: number; total: number | null }>(
          "select done, total from progress where scan_id = ? and status = 'scanning'",
          String(scan.id),
        );
        desk.write('drop trigger progress_told');
        const done = progress.map((one) => one.done);
        assert.deepEqual(
          done,
          [...done].sort((one, other) => one - other),
        );
        assert.deepEqual(progress.at(-1), { done: 15, total: 15 });
      },
    );
  });

  it('fetches no more images than the limit', async () => {
    await withSite({}, async (site) => {
      const images = Array.from({ length: 28 }, (_, index) => `/${index}.png`);
      site.files['/'] = createPage({ images });
      const body = await png(pattern(8, 8));
      for (const path of images) site.files[path] = body;
      const rows = await desk.scan({ url: site.origin, settings: { concurrency: 6 } });
      assert.equal(rows.assets.filter(({ status }) => status === 'ready').length, 24);
      assert.deepEqual(
        rows.assets.slice(24).map(({ status, skipReason }) => [status, skipReason]),
        Array.from({ length: 4 }, () => ['skipped', 'over_limit']),
      );
      assert.ok(String(rows.scan.warnings).includes('assets_truncated'));
      assert.equal(site.fetched().filter((path) => path.endsWith('.png')).length, 24);
    });
  });

  it('does not fetch images of pages that are not scanned', async () => {
    verifies('sites.scans.update.pages');
    const files = {
      '/': createPage({ links: ['/two'], images: ['/one.jpg'], head: '<link rel="stylesheet" href="/one.css">' }),
      '/two': createPage({ images: ['/two.jpg'], head: '<link rel="stylesheet" href="/two.css">' }),
      '/one.css': '',
      '/one.jpg': photo,
      '/two.jpg': photo,
    };
    await withSite(files, async (site) => {
      const { scan } = await desk.scan({ url: site.origin, review: true });
      const path = `/api/v1/sites/scans/${scan.id}`;
      await desk.client.json(path, 'PATCH', { action: 'start', pages: [1] });
      await desk.client.ended(String(scan.id));
      assert.equal(asset(desk.rows(String(scan.id)), '/two.jpg').status, 'found');
      assert.ok(!site.fetched().some((one) => one === '/two.jpg' || one === '/two.css'));
      // The page is selected later, and only what is new is fetched.
      await desk.client.json(path, 'PATCH', { action: 'select', pages: [2] });
      await desk.client.json(path, 'PATCH', { action: 'start' });
      await desk.client.ended(String(scan.id));
      const rows = desk.rows(String(scan.id));
      assert.deepEqual(
        rows.pages.map(({ status }) => status),
        ['scanned', 'scanned'],
      );
      assert.deepEqual([asset(rows, '/two.jpg').status, asset(rows, '/two.jpg').duplicateOf], ['ready', 1]);
      for (const one of ['/', '/two', '/one.jpg', '/two.jpg'])
        assert.equal(site.fetched().filter((each) => each === one).length, 1, one);
    });
  });

  it('charges each analysed page to the package once, and stops when it is used up', async () => {
    verifies('sites.scans.create.package.charged', 'sites.scans.create.package.covers');
    const id = await desk.grant('site_1k', 3);
    await withSite({}, async (site) => {
      site.files['/'] = createPage({ links: ['/1', '/2', '/3', '/4'] });
      for (const path of ['/1', '/3', '/4']) site.files[path] = createPage();
      site.files['/2'] = { status: 500 };
      const rows = await desk.scan({ url: site.origin, package: 'site_1k' });
      assert.deepEqual(
        rows.pages.map(({ status, isCharged, overLimit }) => [status, isCharged, overLimit]),
        [
          ['scanned', 1, 0],
          ['scanned', 1, 0],
          ['failed', 0, 0],
          ['found', 0, 1],
          ['found', 0, 1],
        ],
      );
      assert.deepEqual([rows.scan.packagePagesCharged, desk.pagesLeft(id)], [2, 1]);
      // The failed page is tried again; the others are not charged again.
      site.files['/2'] = createPage();
      await desk.client.json(`/api/v1/sites/scans/${rows.scan.id}`, 'PATCH', { action: 'retry' });
      await desk.client.ended(String(rows.scan.id));
      const again = desk.rows(String(rows.scan.id));
      assert.deepEqual([again.pages[2]?.status, again.scan.packagePagesCharged, desk.pagesLeft(id)], ['scanned', 3, 0]);
    });
  });

  it('shares a package between scans, and marks what it does not cover as over the limit', async () => {
    verifies('sites.scans.create.package.shared');
    const id = await desk.grant('site_3k', 3);
    await withSite({}, async (site) => {
      site.files['/'] = createPage({ links: ['/1', '/2'] });
      for (const path of ['/1', '/2']) site.files[path] = createPage();
      const scans = await Promise.all([0, 1].map(() => desk.scan({ url: site.origin, package: 'site_3k' })));
      const pages = scans.flatMap((rows) => rows.pages);
      assert.equal(pages.filter(({ status }) => status === 'scanned').length, 3);
      assert.equal(pages.filter(({ overLimit }) => overLimit === 1).length, 3);
      assert.equal(desk.pagesLeft(id), 0);
      assert.ok(scans.every(({ scan }) => scan.status === 'ready'));
    });
  });

  it('does not let a slow host delay the others, and writes nothing after it was cancelled', async () => {
    verifies('sites.scans.update.cancel', 'sites.scans.update.retry');
    const held: ServerResponse[] = [];
    const slow = {
      '/a.jpg': (_: unknown, response: ServerResponse) => void held.push(response),
      '/b.jpg': (_: unknown, response: ServerResponse) => void held.push(response),
      '/c.jpg': (_: unknown, response: ServerResponse) => void held.push(response),
    };
    await withSite(slow, async (other) => {
      const images = Array.from({ length: 8 }, (_, index) => `/${index}.jpg`);
      const foreign = Object.keys(slow).map((path) => `http://localhost:${other.port}${path}`);
      await withSite({}, async (site) => {
        site.files['/'] = createPage({ images: [...foreign, ...images] });
        for (const path of images) site.files[path] = photo;
        const id = await desk.start({ url: site.origin });
        const countOf = (status: string) =>
          desk.read<{ n: number }>(
            'select count(*) as n from site_assets where scan_id = ? and status = ?',
            id,
            status,
          )[0]!.n;
        await waitUntil(() => countOf('ready') === images.length);
        const path = `/api/v1/sites/scans/${id}`;
        await desk.client.json(path, 'PATCH', { action: 'cancel' });
        await waitUntil(() => countOf('fetching') === 0);
        const before = desk.rows(id);
        assert.deepEqual([before.scan.status, before.scan.stoppedIn], ['cancelled', 'scanning']);
        assert.equal(before.assets.filter(({ status }) => status === 'found').length, 3);
        for (const response of held.splice(0)) response.end(photo);
        for (const name of Object.keys(slow)) other.files[name] = photo;
        const requests = site.requests.length;
        await desk.client.json(path, 'PATCH', { action: 'retry' });
        await desk.client.ended(id);
        const rows = desk.rows(id);
        assert.equal(rows.scan.status, 'ready');
        assert.deepEqual(
          rows.assets.slice(0, 3).map(({ skipReason, bytes }) => [skipReason, bytes]),
          foreign.map(() => ['third_party', photo.length]),
        );
        // What was finished is kept.
        assert.ok(site.requests.slice(requests).every((one) => one === 'GET /robots.txt'));
      });
    });
  });

  it('stops when it is deleted, whatever it is doing', async () => {
    const held: ServerResponse[] = [];
    const files = { '/slow.jpg': (_: unknown, response: ServerResponse) => void held.push(response), '/a.jpg': photo };
    await withSite(files, async (site) => {
      Object.assign(site.files, { '/': createPage({ images: ['/slow.jpg', '/a.jpg'] }) });
      const id = await desk.start({ url: site.origin, optimize: 'auto' });
      const originals = () => readdirSync(join(desk.dataDir, 'scans')).filter((name) => name.startsWith(id));
      await waitUntil(() => held.length === 1 && originals().length === 1);
      await desk.client.json(`/api/v1/sites/scans/${id}`, 'DELETE');
      await waitUntil(() => held[0]!.destroyed && originals().length === 0);
      assert.ok([undefined, 'cancelled'].includes(desk.rows(id).scan.status as undefined));
    });
  });
});
