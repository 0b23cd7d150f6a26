import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { jpeg, pattern } from '../../../support/test-images.ts';
import { createPage, type ScanRows, type ScanService, useScanService, withSite } from '../runner/scan-desk.ts';

const CLOSED = 'User-agent: *\nDisallow: /';

function assetOf({ assets }: ScanRows, end: string) {
  return assets.find(({ url }) => url.endsWith(end))!;
}

describe('the requests of a scan', { timeout: 120_000 }, () => {
  const opened = useScanService();

  it('continue with the rest of a website when some URLs are busy', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    const usual = ['/sitemap.xml', '/sitemap_index.xml', '/wp-sitemap.xml'];
    const optional = [...usual, '/favicon.ico'];
    const files = {
      '/': createPage({ links: ['/a'] }),
      '/a': createPage(),
      ...Object.fromEntries(optional.map((path) => [path, busy])),
    };
    await withSite(files, async (site) => {
      const rows = await opened().scan({ url: site.origin });
      assert.equal(rows.scan.status, 'ready');
      assert.deepEqual(
        rows.pages.map(({ url, status }) => [new URL(url).pathname, status]),
        [
          ['/', 'scanned'],
          ['/a', 'scanned'],
        ],
      );
      assert.doesNotMatch(String(rows.scan.warnings), /slow_site/);
      for (const path of optional)
        assert.equal(site.requests.filter((request) => request.endsWith(` ${path}`)).length, 1, path);
    });
  });
});

describe('robots.txt of the URLs that a scan fetches', { timeout: 120_000 }, () => {
  let desk: ScanService;
  let photo: Buffer;
  const opened = useScanService();
  before(async () => {
    desk = opened();
    photo = await jpeg(pattern(320, 200));
  });

  it('is checked for the target of an image redirect', async () => {
    await withSite(
      { '/robots.txt': 'User-agent: *\nDisallow: /no', '/no/a.jpg': photo, '/yes.jpg': photo },
      (other) => {
        const to = (path: string) => ({ status: 302, headers: { location: `http://localhost:${other.port}${path}` } });
        const files = {
          '/': createPage({ images: ['/a.jpg', '/b.jpg'] }),
          '/a.jpg': to('/no/a.jpg'),
          '/b.jpg': to('/yes.jpg'),
        };
        return withSite(files, async (site) => {
          const rows = await desk.scan({ url: site.origin });
          const { status, skipReason } = assetOf(rows, '/a.jpg');
          assert.deepEqual([status, skipReason], ['skipped', 'excluded']);
          assert.equal(assetOf(rows, '/b.jpg').httpStatus, 200);
          assert.match(String(rows.scan.warnings), /robots_blocked/);
          assert.deepEqual(other.fetched(), ['/robots.txt', '/yes.jpg']);
        });
      },
    );
  });

  it('is ignored for the verified website, and obeyed for every other', async () => {
    await withSite({ '/robots.txt': CLOSED, '/foreign.jpg': photo }, (other) => {
      const foreign = `http://localhost:${other.port}/foreign.jpg`;
      const files = { '/robots.txt': CLOSED, '/': createPage({ images: ['/own.jpg', foreign] }), '/own.jpg': photo };
      return withSite(files, async (site) => {
        const kept = await desk.scan({ url: site.origin });
        assert.deepEqual([kept.pages[0]?.skipReason, kept.assets.length], ['robots', 0]);
        site.files['/.well-known/imagecrew-site.txt'] = String(kept.scan.accountId);
        const rows = await desk.scan({ url: site.origin, settings: { respect_robots: false } });
        assert.equal(rows.scan.status, 'ready');
        assert.equal(assetOf(rows, '/own.jpg').status, 'ready');
        assert.equal(assetOf(rows, '/foreign.jpg').skipReason, 'excluded');
        assert.deepEqual(other.fetched(), ['/robots.txt']);
      });
    });
  });

  it('is obeyed for a website that the verified one redirects to', async () => {
    // Two ports of one host are two websites.
    await withSite({ '/': createPage({ images: ['/a.jpg'] }), '/a.jpg': photo, '/robots.txt': CLOSED }, (other) =>
      withSite({ '/': { status: 302, headers: { location: `${other.origin}/` } } }, async (site) => {
        const { scan } = await desk.scan({ url: site.origin });
        site.files['/.well-known/imagecrew-site.txt'] = String(scan.accountId);
        const rows = await desk.scan({ url: site.origin, settings: { respect_robots: false } });
        assert.equal(JSON.parse(String(rows.scan.settings)).respect_robots, true);
        assert.ok(!other.fetched().includes('/'));
      }),
    );
  });

  it('is checked before an original is fetched again', async () => {
    const files = {
      '/': createPage({ images: ['/a.jpg', '/b.jpg'] }),
      '/a.jpg': photo,
      '/b.jpg': await jpeg(pattern(321, 200)),
    };
    await withSite(files, async (site) => {
      const { scan } = await desk.scan({ url: site.origin });
      assert.equal(scan.status, 'ready');
      Object.assign(site.files, { '/robots.txt': 'User-agent: *\nDisallow: /a\nCrawl-delay: 0.1' });
      site.requests.length = 0;
      const id = String(scan.id);
      await desk.client.json(`/api/v1/sites/scans/${id}`, 'PATCH', { action: 'optimize' });
      await desk.client.ended(id);
      const a = assetOf(desk.rows(id), '/a.jpg');
      assert.deepEqual([a.status, a.errorCode], ['failed', 'url_fetch_failed']);
      assert.match(a.errorMessage ?? '', /robots\.txt/);
      assert.deepEqual(site.fetched(), ['/robots.txt', '/b.jpg']);
    });
  });
});
