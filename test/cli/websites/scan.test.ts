import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type SiteFiles, withSite } from '../../server/sites/runner/scan-desk.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Website } from '../../support/website/website.ts';
import { documentOf, drawTestImages, LOCAL_SITE_OPTIONS, run, start } from './command.ts';

const page = (body: string) => `<!doctype html><title>Page</title>\n${body}`;
const image = (path: string) => `<img src="${path}" width="480" height="360" alt="A place">`;

/** Two pages: the first with two images, the second with one of them. */
async function twoPages(): Promise<SiteFiles> {
  const images = await drawTestImages();
  return {
    '/': page(`${image('/one.jpg')}\n${image('/two.jpg')}\n<a href="/light.html">Light</a>`),
    '/light.html': page(image('/one.jpg')),
    '/one.jpg': images.file('photo', 1),
    '/two.jpg': images.file('photo', 2),
  };
}

describe('scan', { timeout: 600_000 }, () => {
  it('prints the counts of a website', { skip: nightlyOnly }, async () => {
    let site: Website | undefined;
    await withServer(
      (request, response) => site!.serve(request, response),
      async ({ origin }) => {
        site = await Website.build(origin, { pages: 4, images: 10 });
        const { expected } = site;
        const result = await run(['scan', origin, ...LOCAL_SITE_OPTIONS, '--json']);
        assert.deepEqual([result.status, result.err], [0, '']);
        const { scan, pages, assets, checks } = documentOf(result);
        assert.deepEqual([scan.status, scan.error, scan.expires_at], ['done', null, null]);
        const { totals } = scan;
        assert.equal(totals.pages_scanned, expected.pages);
        assert.equal(totals.assets, expected.assets);
        assert.equal(totals.bytes_original, expected.bytes);
        assert.equal(totals.issues.broken ?? 0, expected.missing);
        assert.ok(totals.bytes_saved! > 0);
        assert.deepEqual(checks, { passed: true });
        assert.equal(pages.filter(({ status }) => status === 'scanned').length, expected.pages);
        assert.equal(new Set(assets.map(({ url }) => url)).size, expected.assets);
        const found = assets.flatMap(({ url, places }) =>
          places.map(({ source_url, role, line, column }) => `${source_url} ${line}:${column} ${role} ${url}`),
        );
        // The places in image sitemaps are in no document that the pages lead to.
        const planted = [...expected.references].flatMap(([source, places]) =>
          places
            .filter(({ role }) => role !== 'image_sitemap')
            .map(({ role, url, line, column }) => `${source} ${line}:${column} ${role} ${url}`),
        );
        assert.deepEqual(found.sort(), planted.sort());
      },
    );
  });

  it('prints a summary for people, and writes the report', async () => {
    await withFolder(async (folder) => {
      await withSite(
        { ...(await twoPages()), '/': page(`${image('/one.jpg')}\n${image('/none.jpg')}`) },
        async (site) => {
          const report = join(folder, 'new', 'report.html');
          await mkdir(join(folder, 'new'));
          await writeFile(`${report}.part`, 'of the user');
          const { status, out, err } = await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS, '--report', report]);
          assert.deepEqual([status, err], [0, '']);
          assert.match(
            out,
            new RegExp(`^127[.]0[.]0[.]1:${site.port}: 1 page, 2 images, [\\d.]+ kB\\n[\\d.]+ kB could be saved`),
          );
          assert.match(out, /error {3}broken +Images that do not load: 1\n/);
          assert.match(
            out,
            /Images with errors\n {2}\S+none[.]jpg\n {6}The address answers with 404: visitors see no image[.]\n/,
          );
          assert.match(
            out,
            /Images with the most to save\n {2}\S+one[.]jpg {2}[\d.]+ kB to [\d.]+ kB \(JPEG, 480 x 360\)\n/,
          );
          assert.match(out, / in http:\S+ line 2\n/);
          assert.match(await readFile(report, 'utf8'), /^<!doctype html>[\s\S]+Images that do not load/);
          assert.deepEqual((await readdir(join(folder, 'new'))).sort(), ['report.html', 'report.html.part']);
          assert.equal(await readFile(`${report}.part`, 'utf8'), 'of the user');
        },
      );
    });
  });

  it('fails one byte above a limit, and passes at the limit', { skip: nightlyOnly }, async () => {
    const files = await twoPages();
    const [one, two] = ['/one.jpg', '/two.jpg'].map((path) => (files[path] as Buffer).length) as [number, number];
    const heaviest = one + two;
    await withSite(files, async ({ origin }) => {
      const check = async (...args: string[]) => await run(['scan', origin, ...LOCAL_SITE_OPTIONS, ...args]);
      const allowed = await check('--json', '--fail-over', String(heaviest), '--fail-on', 'findings=error');
      assert.equal(allowed.status, 0);
      const { scan, checks } = documentOf(allowed);
      assert.deepEqual(checks, {
        passed: true,
        fail_over: { limit_bytes: heaviest, pages_failed: 0, assets_failed: 0, pages_over: 0, pages: [] },
        findings: { severity: 'error', issues: {} },
      });
      const saved = scan.totals.bytes_saved!;
      assert.ok(saved > 0);

      const refused = await check('--json', '--fail-over', String(heaviest - 1), '--fail-on', `bytes=${saved}`);
      assert.equal(refused.status, 1);
      assert.deepEqual(documentOf(refused).checks, {
        passed: false,
        fail_over: {
          limit_bytes: heaviest - 1,
          pages_failed: 0,
          assets_failed: 0,
          pages_over: 1,
          pages: [{ url: `${origin}/`, image_bytes: heaviest, over_bytes: 1 }],
        },
        bytes: { limit_bytes: saved, bytes_saved: saved },
      });

      const bytes = await check('--fail-over', '1kB', '--fail-on', `bytes=${saved - 1}`);
      assert.equal(bytes.status, 1);
      assert.match(
        bytes.out,
        /\nFailed: 2 of 2 pages with more than 1[.]0 kB of images\n {2}\S+\/ {2}.+\n {2}\S+light/,
      );
      assert.match(bytes.out, /\nFailed: [\d.]+ kB could be saved, [\d.]+ kB may remain[.]\n$/);

      const findings = await check('--fail-over', '1GB', '--fail-on', 'findings');
      assert.equal(findings.status, 1);
      assert.match(findings.out, /\nPassed: no page has more than 1[.]0 GB of images[.]\n/);
      assert.match(findings.out, /\nFailed: findings of severity warning or worse: .*wrong_format \(2\)/);
    });
  });

  it('fails if pages could not be read, but not if images do not load', { skip: nightlyOnly }, async () => {
    const files = await twoPages();
    await withSite({ ...files, '/light.html': page(image('/none.jpg')) }, async ({ origin }) => {
      const { status, out } = await run(['scan', origin, ...LOCAL_SITE_OPTIONS, '--fail-over', '1GB']);
      assert.equal(status, 0);
      assert.match(out, /\nPassed: .+\nNote: 1 image could not be read and counts 0 bytes[.]\n$/);
    });
    const { '/light.html': _light, ...others } = files;
    await withSite(others, async ({ origin }) => {
      const json = await run(['scan', origin, ...LOCAL_SITE_OPTIONS, '--fail-over', '1GB', '--json']);
      assert.equal(json.status, 1);
      assert.deepEqual(documentOf(json).checks, {
        passed: false,
        fail_over: { limit_bytes: 1e9, pages_failed: 1, assets_failed: 0, pages_over: 0, pages: [] },
      });
      const { status, out } = await run(['scan', origin, ...LOCAL_SITE_OPTIONS, '--fail-over', '1GB']);
      assert.equal(status, 1);
      assert.match(out, /\nFailed: 1 page could not be read, so that nobody knows what its images weigh[.]\n$/);
      assert.doesNotMatch(out, /Passed/);
    });
  });

  it('says that the scan itself failed', async () => {
    const closed = await withServer(
      () => {},
      async ({ origin }) => origin,
    );
    const unreachable = await run(['scan', closed, ...LOCAL_SITE_OPTIONS, '--json', '--fail-over', '1kB']);
    assert.equal(unreachable.status, 3);
    assert.equal(
      unreachable.err,
      'Expected a robots.txt that can be read for url but received a connection that failed.\n',
    );
    const { scan, checks } = documentOf(unreachable);
    assert.deepEqual([scan.status, scan.error?.code, checks], ['failed', 'url_fetch_failed', { passed: false }]);

    await withSite({ '/robots.txt': 'User-agent: *\nDisallow: /', ...(await twoPages()) }, async (site) => {
      assert.deepEqual(await run(['scan', site.origin, ...LOCAL_SITE_OPTIONS]), {
        status: 3,
        out: '',
        err: 'Expected a page that can be read but received none: robots.txt forbids all.\n',
      });
      assert.deepEqual(site.fetched(), ['/robots.txt']);
      const guarded = await run(['scan', site.origin]);
      assert.equal(guarded.status, 3);
      assert.match(guarded.err, /private or reserved one[.] --allow-private CIDR lets private addresses through[.]\n$/);
      assert.deepEqual(site.fetched(), ['/robots.txt']);
    });
  });

  it('accepts pages from a file or a sitemap', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const list = join(folder, 'pages.txt');
      await withSite(await twoPages(), async ({ origin, files, fetched }) => {
        files['/map.xml'] = `<urlset><url><loc>${origin}/light.html</loc></url></urlset>`;
        await writeFile(list, `${origin}/light.html\n\n${origin}/gone.html\n`);
        const listed = documentOf(await run(['scan', list, '--source', 'list', ...LOCAL_SITE_OPTIONS, '--json']));
        assert.deepEqual(
          listed.pages.map(({ url, status }) => [url, status]),
          [
            [`${origin}/light.html`, 'scanned'],
            [`${origin}/gone.html`, 'failed'],
          ],
        );
        await writeFile(list, `${origin}/gone.html`);
        assert.deepEqual(await run(['scan', list, '--source', 'list', ...LOCAL_SITE_OPTIONS]), {
          status: 3,
          out: '',
          err: 'Expected a page that can be read but received none: 1 page failed, the first so: Expected a page for url but received status 404.\n',
        });
        const mapped = documentOf(
          await run(['scan', `${origin}/map.xml`, '--source', 'sitemap', ...LOCAL_SITE_OPTIONS, '--json']),
        );
        assert.deepEqual(
          mapped.pages.map(({ url }) => url),
          [`${origin}/light.html`],
        );
        assert.ok(!fetched().includes('/'));
      });
    });
  });

  it('explains invalid usage', async () => {
    for (const [args, sentence] of [
      [[], "error: missing required argument 'site'"],
      [['no-folder'], 'Expected an address or an existing folder for the website but received "no-folder".'],
      [['./none.example'], 'Expected an address or an existing folder for the website but received "./none.example".'],
      [['https://example.com', '--quality', '101'], 'Expected an integer from 1 to 100.'],
      [['https://example.com', '--quality', 'high'], 'Expected an integer from 1 to 100.'],
      [['https://example.com', '--variants-widths', '480,'], 'Expected an integer from 16 to 10000.'],
      [['https://example.com', '--max-pages', '0'], 'Expected an integer of at least 1.'],
      [['https://example.com', '--fail-over', '200kg'], 'Expected a size such as 200kB'],
      [['https://example.com', '--fail-on', 'findings=bad'], 'Expected findings, bytes, findings=SEVERITY'],
      [['https://example.com', '--allow-private', '10.0.0.1'], 'Expected a CIDR block'],
      [['https://example.com', '--site', 'https://example.com'], 'Expected no --site with an address'],
      [['https://example.com', '--include', 're:('], 'for --include but received "re:("'],
      [['https://user:secret@example.com'], 'without user name and password'],
      [['https://example.com', '--respect-robots', 'false'], "unknown option '--respect-robots'"],
    ] as [string[], string][]) {
      const { status, out, err } = await run(['scan', ...args]);
      assert.ok(err.includes(sentence), `${args}: ${err}`);
      assert.deepEqual([status, out], [err.includes('without user name') ? 3 : 2, ''], `${args}: ${err}`);
    }
  });

  it('shows progress on a terminal, and none of it in the JSON', { skip: nightlyOnly }, async () => {
    const files = await twoPages();
    const photo = files['/two.jpg'] as Buffer;
    const reading = /\rReading pages and images \[#*-*\] +\d+ % of \d+ steps? \(/;
    let answer = () => {};
    const isShown = new Promise<void>((resolve) => {
      answer = resolve;
    });
    // Delays the image until the progress output has shown this stage.
    files['/two.jpg'] = (_, response) => void isShown.then(() => response.end(photo));
    await withSite(files, async ({ origin }) => {
      const onError = (written: string) => {
        if (reading.test(written)) answer();
      };
      const { out, err } = await run(['scan', origin, ...LOCAL_SITE_OPTIONS], { isTerminal: true, onError });
      assert.match(err, /\rFinding pages: /);
      assert.match(err, reading);
      assert.ok(err.endsWith('\r\u001b[K'));
      assert.doesNotMatch(out, /\r/);
      assert.equal((await run(['scan', origin, ...LOCAL_SITE_OPTIONS, '--json'], { isTerminal: true })).err, '');
    });
  });

  it('exits with 130 on Ctrl-C, and leaves nothing behind', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const temporary = join(folder, 'tmp');
      await mkdir(temporary);
      const files = await twoPages();
      let begun = () => {};
      const beginning = new Promise<void>((resolve) => {
        begun = resolve;
      });
      // Never responds.
      files['/two.jpg'] = () => begun();
      await withSite(files, async ({ origin }) => {
        const env = { TMPDIR: temporary, TSX_DISABLE_CACHE: '1' };
        const child = start(['scan', origin, ...LOCAL_SITE_OPTIONS, '--json'], env);
        const [out, err] = [child.stdout.toArray(), child.stderr.setEncoding('utf8').toArray()];
        const exited = once(child, 'exit');
        await beginning;
        assert.match((await readdir(temporary)).join(), /imagecrew-/);
        child.kill('SIGINT');
        assert.deepEqual(await exited, [130, null]);
        assert.deepEqual([await out, (await err).join('')], [[], '']);
        assert.deepEqual(await readdir(temporary), []);
      });
    });
  });
});
