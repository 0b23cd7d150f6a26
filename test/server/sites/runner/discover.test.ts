import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { verifies } from '../../../support/verifies.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import {
  createPage,
  type ScanRows,
  type ScanService,
  type SiteFiles,
  sitemap,
  sitemapIndex,
  useScanService,
  withSite,
} from './scan-desk.ts';

/** Returns the path, the status and the reason of each page, in the order of the list. */
function listed({ pages }: ScanRows): [string, string, string | null][] {
  return pages.map(({ url, status, skipReason }) => {
    const { pathname, search } = new URL(url);
    return [pathname + search, status, skipReason];
  });
}

describe('the discovery of pages', { timeout: 300_000 }, () => {
  let desk: ScanService;
  const opened = useScanService();
  before(async () => {
    desk = opened();
  });

  it('follows links breadth first, to the requested depth', async () => {
    const files = {
      '/': createPage({ links: ['/b', '/a', '#here', 'mailto:x@example.com', 'http://elsewhere.example/'] }),
      '/a': createPage({ links: ['/a/deep', '/?utm_source=x', '/b?fbclid=1'] }),
      '/b': createPage({ links: ['/b/deep'] }),
      '/a/deep': createPage({ links: ['/deeper'] }),
      '/b/deep': createPage(),
    };
    await withSite(files, async ({ origin }) => {
      const rows = await desk.scan({ url: origin, settings: { max_depth: 2 } });
      assert.deepEqual(
        rows.pages.map(({ url, depth, foundBy }) => [new URL(url).pathname, depth, foundBy]),
        [
          ['/', 0, 'start'],
          ['/b', 1, 'link'],
          ['/a', 1, 'link'],
          ['/b/deep', 2, 'link'],
          ['/a/deep', 2, 'link'],
        ],
      );
      assert.ok(rows.pages.every(({ status }) => status === 'scanned'));
    });
  });

  it('reads the sitemaps in robots.txt, also compressed ones and nested indexes', async () => {
    const files = {
      '/robots.txt': 'User-agent: *\nDisallow: /private\nSitemap: {origin}/index.xml\nSitemap: {origin}/gone.xml',
      '/index.xml': sitemapIndex(['{origin}/second.xml']),
      '/second.xml': sitemapIndex(['{origin}/pages.xml.gz']),
      '/sitemap.xml': sitemap(['{origin}/not-named']),
      '/': createPage(),
      '/one': createPage(),
      '/two': createPage(),
    };
    await withSite(files, async (site) => {
      const urls = ['/one', '/two', '/private/x', '/file.pdf'].map((path) => site.origin + path);
      const pages = sitemap([...urls, 'http://other.example/'], { [urls[0]!]: `${site.origin}/in-sitemap.jpg` });
      site.files['/pages.xml.gz'] = gzipSync(pages);
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual(listed(rows), [
        ['/', 'scanned', null],
        ['/one', 'scanned', null],
        ['/two', 'scanned', null],
        ['/private/x', 'skipped', 'robots'],
        ['/file.pdf', 'skipped', 'not_html'],
      ]);
      const [image] = rows.references.filter(({ role }) => role === 'image_sitemap');
      assert.equal(image?.pageSeq, 2);
      assert.equal(rows.assets.find(({ seq }) => seq === image?.assetSeq)?.url, `${site.origin}/in-sitemap.jpg`);
      assert.deepEqual(JSON.parse(rows.scan.warnings as string).sort(), ['robots_blocked', 'sitemap_errors']);
      assert.ok(!site.fetched().some((path) => path === '/sitemap.xml' || path === '/private/x'));
    });
  });

  it('tries the usual sitemap paths if robots.txt names none, and accepts that they are missing', async () => {
    await withSite(
      { '/': createPage(), '/wp-sitemap.xml': sitemap(['{origin}/x']), '/x': createPage() },
      async (site) => {
        const rows = await desk.scan({ url: site.origin });
        assert.deepEqual(
          listed(rows).map(([path]) => path),
          ['/', '/x'],
        );
        assert.equal(rows.pages[1]?.foundBy, 'sitemap');
        assert.equal(rows.scan.warnings, '[]');
      },
    );
  });

  it('stays within the page limit, even with an endless calendar', async () => {
    await withSite({}, async (site) => {
      for (let day = 0; day < 50; day += 1)
        site.files[`/day/${day}`] = createPage({ links: [`/day/${day + 1}`, `/other/${day}`] });
      site.files['/'] = createPage({ links: ['/day/0'] });
      const rows = await desk.scan({ url: site.origin, max_pages: 6 });
      assert.equal(rows.pages.filter(({ selected }) => selected === 1).length, 6);
      assert.equal(rows.pages.filter(({ status }) => status === 'scanned' || status === 'failed').length, 6);
      assert.equal(site.fetched().filter((path) => path === '/' || /^\/(?:day|other)/.test(path)).length, 6);
      const beyond = rows.pages.filter(({ overLimit }) => overLimit === 1);
      assert.ok(beyond.length > 0 && beyond.every(({ status, selected }) => status === 'found' && selected === 0));
      assert.ok(String(rows.scan.warnings).includes('over_limit'));
    });
  });

  it('replaces each URL that is not a page by the next one, up to the limit', async () => {
    const none = ['/moved', '/picture'];
    const files: SiteFiles = {
      '/moved': { status: 301, headers: { location: '/' } },
      '/picture': { headers: { 'content-type': 'image/png' }, body: 'x' },
      '/': createPage({ links: [...none, '/1', '/2', '/3'] }),
      '/map': sitemap(['/', ...none, '/1', '/2', '/3'].map((path) => `{origin}${path}`)),
    };
    for (const path of ['/1', '/2', '/3']) files[path] = createPage();
    await withSite(files, async ({ origin }) => {
      for (const body of [{ url: origin }, { source: 'sitemap', url: `${origin}/map` }]) {
        const rows = await desk.scan({ ...body, max_pages: 3 });
        assert.deepEqual(
          rows.pages.map(({ status, selected, overLimit }) => [status, selected, overLimit]),
          [
            ['scanned', 1, 0],
            ['skipped', 0, 0],
            ['skipped', 0, 0],
            ['scanned', 1, 0],
            ['scanned', 1, 0],
            ['found', 0, 1],
          ],
        );
      }
    });
    const links = Array.from({ length: 20 }, (_, index) => `/${index}`);
    await withSite({ '/': createPage({ links }) }, async (site) => {
      for (const path of links) site.files[path] = { status: 301, headers: { location: '/' } };
      await desk.scan({ url: site.origin, max_pages: 3 });
      assert.equal(site.fetched().filter((path) => links.includes(path)).length, 5);
    });
  });

  it('does not scan excluded pages, even when another page redirects there', async () => {
    const files = {
      '/': createPage({ links: ['/in', '/shop/1'] }),
      '/in': { status: 302, headers: { location: '/shop/1' } },
      '/shop/1': createPage(),
    };
    await withSite(files, async ({ origin }) => {
      assert.deepEqual(listed(await desk.scan({ url: origin, settings: { exclude: ['/shop/**'] } })), [
        ['/', 'scanned', null],
        ['/in', 'skipped', 'excluded'],
        ['/shop/1', 'skipped', 'excluded'],
      ]);
    });
  });

  it('reads at most 500 sitemaps, also after a restart', async () => {
    const held: ServerResponse[] = [];
    await withSite({ '/': createPage({ links: ['/slow'] }) }, async (site) => {
      const lines = Array.from({ length: 520 }, (_, index) => `Sitemap: ${site.origin}/${index}.xml`);
      site.files['/robots.txt'] = lines.join('\n');
      site.files['/slow'] = (_, response) => void held.push(response);
      const id = await desk.start({ url: site.origin, settings: { concurrency: 6 } });
      await waitUntil(() => held.length > 0);
      const path = `/api/v1/sites/scans/${id}`;
      await desk.client.json(path, 'PATCH', { action: 'cancel' });
      site.files['/slow'] = createPage();
      await desk.client.json(path, 'PATCH', { action: 'retry' });
      await desk.client.ended(id);
      const { scan, sources } = desk.rows(id);
      assert.equal(sources.filter(({ kind }) => kind === 'sitemap').length, 500);
      assert.equal(scan.status, 'ready');
      assert.ok(String(scan.warnings).includes('sitemap_errors'));
    });
  });

  it('takes 20 variants of a query, and one page for several spellings of its URL', async () => {
    const links = Array.from({ length: 30 }, (_, index) => `/list?page=${index}`);
    await withSite({}, async (site) => {
      site.files['/'] = createPage({ links: [...links, '/list', 'http://www.127.0.0.1/', '/a/../b', '/b#x'] });
      for (const path of ['/list', '/b', ...links]) site.files[path] = createPage();
      const rows = await desk.scan({ url: site.origin });
      const paths = listed(rows).map(([path]) => path);
      assert.deepEqual(paths, ['/', ...links.slice(0, 20), '/list', '/b']);
    });
  });

  it('filters by patterns, and samples similar pages', async () => {
    const blog = ['/blog/1', '/blog/2', '/blog/3'];
    await withSite({}, async (site) => {
      site.files['/'] = createPage({ links: [...blog, '/shop/1', '/shop/old/2'] });
      for (const path of [...blog, '/shop/1', '/shop/old/2']) site.files[path] = createPage();
      const settings = { include: ['/blog/*', '/shop/**'], exclude: ['re:/old/'], sample_per_pattern: 2 };
      assert.deepEqual(listed(await desk.scan({ url: site.origin, settings })), [
        ['/', 'skipped', 'excluded'],
        ['/blog/1', 'scanned', null],
        ['/blog/2', 'scanned', null],
        ['/blog/3', 'skipped', 'not_selected'],
        ['/shop/1', 'scanned', null],
        ['/shop/old/2', 'skipped', 'excluded'],
      ]);
    });
  });

  it('distinguishes pages from redirects, duplicates, other files and failures', async () => {
    const files = {
      '/': createPage({
        links: ['/moved', '/copy', '/picture', '/broken', '/away', '/target', '/alone', '/report.pdf'],
      }),
      '/moved': { status: 301, headers: { location: '/target' } },
      '/alone': { status: 302, headers: { location: '/new-place' } },
      '/new-place': createPage({ title: 'New' }),
      '/away': { status: 302, headers: { location: 'http://localhost:{port}/' } },
      '/target': createPage({ title: 'Target' }),
      '/copy': createPage({ head: '<link rel="canonical" href="/target">' }),
      '/picture': { headers: { 'content-type': 'image/png' }, body: 'x' },
      '/broken': { status: 500 },
    };
    await withSite(files, async (site) => {
      files['/away'].headers.location = `http://localhost:${site.port}/`;
      const rows = await desk.scan({ url: site.origin });
      assert.deepEqual(listed(rows), [
        ['/', 'scanned', null],
        ['/moved', 'skipped', 'redirected'],
        ['/copy', 'skipped', 'duplicate'],
        ['/picture', 'skipped', 'not_html'],
        ['/broken', 'failed', null],
        ['/away', 'skipped', 'off_domain'],
        ['/target', 'scanned', null],
        ['/alone', 'scanned', null],
      ]);
      const [broken, alone] = [rows.pages[4]!, rows.pages[7]!];
      assert.deepEqual([broken.httpStatus, broken.errorCode], [500, 'url_fetch_failed']);
      assert.deepEqual([alone.title, alone.finalUrl], ['New', `${site.origin}/new-place`]);
    });
  });

  it('reads pages in other character sets, and says when a page needs scripts', async () => {
    const latin = Buffer.from('<!doctype html><title>Caf\xe9</title>', 'latin1');
    const files = {
      '/': { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body: latin },
      '/robots.txt': 'Sitemap: {origin}/s.txt',
      '/s.txt': '{origin}/app\n',
      '/app': '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>',
    };
    await withSite(files, async (site) => {
      const { pages, scan } = await desk.scan({ url: site.origin });
      assert.deepEqual(
        pages.map(({ title, needsJavascript }) => [title, needsJavascript]),
        [
          ['Café', 0],
          ['App', 1],
        ],
      );
      assert.ok(String(scan.warnings).includes('needs_javascript'));
    });
  });

  describe('with a list', () => {
    verifies('sites.scans.create.source.list');
    it('takes each URL of the list once, and follows no links', async () => {
      await withSite({ '/a': createPage({ links: ['/c'] }), '/b': createPage() }, async (site) => {
        const urls = `${site.origin}/a\n\n  ${site.origin}/b  \r\n${site.origin}/a#x\nhttp://elsewhere.example/\n`;
        const rows = await desk.scan({ source: 'list', urls });
        assert.deepEqual(listed(rows), [
          ['/a', 'scanned', null],
          ['/b', 'scanned', null],
          ['/', 'skipped', 'off_domain'],
        ]);
        assert.ok(rows.pages.every(({ foundBy }) => foundBy === 'list'));
        assert.deepEqual(
          desk.read('select part from site_scan_list_parts where scan_id = ?', String(rows.scan.id)),
          [],
        );
      });
    });
  });

  describe('with a sitemap', () => {
    verifies('sites.scans.create.source.sitemap');
    it('takes the pages of the sitemap and follows no links', async () => {
      const files = {
        '/map': sitemap(['{origin}/a', '{origin}/b']),
        '/a': createPage({ links: ['/c'] }),
        '/b': createPage(),
      };
      await withSite(files, async ({ origin }) => {
        const rows = await desk.scan({ source: 'sitemap', url: `${origin}/map` });
        assert.deepEqual(listed(rows), [
          ['/a', 'scanned', null],
          ['/b', 'scanned', null],
        ]);
      });
    });

    it('fails if there is no sitemap', async () => {
      await withSite({ '/map': createPage() }, async ({ origin }) => {
        const { scan } = await desk.scan({ source: 'sitemap', url: `${origin}/map` });
        assert.deepEqual([scan.status, scan.errorCode, scan.stoppedIn], ['failed', 'url_fetch_failed', 'discovering']);
      });
    });
  });

  describe('the start URL', () => {
    verifies('sites.scans.create.source.url');
    it('may have no scheme, and may redirect within the site', async () => {
      const files = { '/': { status: 301, headers: { location: '/home?utm_source=x' } }, '/home': createPage() };
      await withSite({ ...files, '/home?utm_source=x': createPage() }, async (site) => {
        const rows = await desk.scan({ url: `127.0.0.1:${site.port}` });
        assert.deepEqual(listed(rows), [['/home', 'scanned', null]]);
        assert.equal(rows.scan.origin, site.origin);
      });
    });

    it('must not redirect to another website', async () => {
      await withSite({}, async (site) => {
        site.files['/'] = { status: 302, headers: { location: `http://localhost:${site.port}/secret?x=1` } };
        const { scan, pages } = await desk.scan({ url: site.origin });
        assert.deepEqual([scan.status, scan.errorCode, pages.length], ['failed', 'url_fetch_failed', 0]);
        assert.match(String(scan.errorMessage), /localhost/);
        assert.doesNotMatch(String(scan.errorMessage), /secret/);
      });
    });

    it('must return a page', async () => {
      await withSite({ '/picture': { headers: { 'content-type': 'image/png' }, body: 'x' } }, async ({ origin }) => {
        for (const path of ['/gone', '/picture']) {
          const { scan } = await desk.scan({ url: origin + path });
          assert.deepEqual([scan.status, scan.errorCode], ['failed', 'url_fetch_failed'], path);
        }
      });
    });

    it('must be on a host whose robots.txt can be read', async () => {
      await withSite({ '/robots.txt': { status: 503 }, '/': createPage() }, async (site) => {
        site.files['/robots.txt'] = { status: 500 };
        const { scan } = await desk.scan({ url: site.origin });
        assert.deepEqual([scan.status, scan.errorCode], ['failed', 'url_fetch_failed']);
        assert.match(String(scan.errorMessage), /robots\.txt/);
        assert.ok(!site.fetched().includes('/'));
      });
    });
  });

  it('waits for the review, and scans the selected pages', async () => {
    verifies('sites.scans.create.review', 'sites.scans.update.start');
    await withSite(
      { '/': createPage({ links: ['/a', '/b'] }), '/a': createPage(), '/b': createPage() },
      async (site) => {
        const rows = await desk.scan({ url: site.origin, review: true });
        assert.equal(rows.scan.status, 'review');
        assert.ok(rows.pages.every(({ status }) => status === 'found'));
        const before = site.requests.length;
        const path = `/api/v1/sites/scans/${rows.scan.id}`;
        await desk.client.json(path, 'PATCH', { action: 'start', pages: [1, 3] });
        await desk.client.ended(String(rows.scan.id));
        assert.deepEqual(listed(desk.rows(String(rows.scan.id))), [
          ['/', 'scanned', null],
          ['/a', 'skipped', 'not_selected'],
          ['/b', 'scanned', null],
        ]);
        // Pages that were read during the discovery are not fetched again.
        assert.equal(site.fetched().filter((one) => ['/', '/a', '/b'].includes(one)).length, 3);
        assert.ok(site.requests.length >= before);
      },
    );
  });
});
