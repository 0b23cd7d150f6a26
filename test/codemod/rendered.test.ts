/** Tests the check `rendered` of validate_replacements with real pages in Chromium. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { withBrowser } from '../support/browser.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { CONTACT_METHODS, withExternalServers } from '../support/outside.ts';
import { browserSkipReason } from '../support/separate-browser.ts';
import {
  type Files,
  type LocalServerClient,
  type LocalServerOptions,
  photo,
  type Structured,
  withLoadedPackage,
} from './desk.ts';

interface Validation extends Structured {
  ok: boolean;
  checks: { name: string; ok: boolean; details: string }[];
  problems: { file: string; line: number | null; code: string; message: string }[];
}

const WITH_CHROMIUM: LocalServerOptions = { env: process.env };

async function apply(desk: LocalServerClient, strategy = 'swap'): Promise<void> {
  const { plan_id } = await desk.call('preview_replacements', { strategy });
  await desk.call('apply_replacements', { plan_id, approved: true });
}

async function validate(desk: LocalServerClient) {
  const validation = (await desk.call('validate_replacements')) as Validation;
  return { ...validation, rendered: validation.checks.find(({ name }) => name === 'rendered')! };
}

/** Returns the validation of a project with the image `a.jpg` and one page, after an apply. */
async function outcomeOf(files: Files, strategy = 'swap'): Promise<Awaited<ReturnType<typeof validate>>> {
  const work = async (desk: LocalServerClient) => {
    await apply(desk, strategy);
    return await validate(desk);
  };
  return await withLoadedPackage(files, [{ at: '/a.jpg', data: files['a.jpg'] as Buffer }], work, WITH_CHROMIUM);
}

function assertPasses({ ok, rendered, problems }: Awaited<ReturnType<typeof validate>>): void {
  assert.deepEqual([ok, problems], [true, []]);
  assert.match(rendered.details, /^1 pages at 360, 1440, 2560 px: 0 problems, at most \d\.\d\d% of the pixels differ$/);
}

const PAGE = (head: string, body: string) => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

describe('the check rendered', { skip: browserSkipReason, timeout: 600_000 }, () => {
  it('passes if pages look the same as before', { skip: nightlyOnly }, async () => {
    const data = await photo(50);
    const body = `<div style="display: flex; gap: 16px"><img src="/a.jpg"><b>x</b></div>
      <div style="height: 5000px"></div><img src="../a.jpg" loading="lazy">
      <script>document.body.append(new Image(10, 20));</script>`;
    const files = { 'a.jpg': data, 'blog/index.html': PAGE('', body) };
    for (const strategy of ['swap', 'picture']) assertPasses(await outcomeOf(files, strategy));
  });

  it('blocks every kind of request that a page could make in a normal browser', { skip: nightlyOnly }, async () => {
    await withExternalServers(async ({ markup, arrived, reached, url }) => {
      const files = { 'a.jpg': await photo(55), 'index.html': PAGE('', `<img src="/a.jpg">${markup}`) };
      const outcome = await outcomeOf(files);
      assert.deepEqual(arrived(), []);
      // On a busy machine the page may exceed its limit of 15 s. It has been opened even then.
      assert.match(outcome.rendered.details, /^[01] pages at 360, 1440, 2560 px: 0 problems, /);
      await withBrowser(async ({ page }) => {
        await page.goto(url);
        await reached;
      });
      assert.deepEqual(arrived(), CONTACT_METHODS);
    });
  });

  it('detects a page whose layout changes', { skip: nightlyOnly }, async () => {
    const data = await photo(51);
    const files: Files = { 'a.jpg': data, 'index.html': PAGE('', '<p>x</p><img src="a.jpg"><p>y</p>') };
    await withLoadedPackage(
      files,
      [{ at: '/a.jpg', data, isResized: true }],
      async (desk) => {
        await apply(desk);
        const { ok, rendered, problems } = await validate(desk);
        assert.deepEqual([ok, rendered.ok], [false, false]);
        assert.deepEqual(
          problems.map(({ file, line, code }) => [file, line, code]),
          [360, 1440, 2560].map(() => ['index.html', null, 'layout_changed']),
        );
        assert.match(
          problems[0]!.message,
          /^At 360 px image 1 \(a\.webp\) is 58 x [\d.]+ px at [\d., ]+ instead of 115 x 48 px at [\d., ]+\.$/,
        );
      },
      { ...WITH_CHROMIUM, scannedPages: ['https://example.com/'] },
    );
  });

  it('detects a page that looks different, also because of a style sheet', { skip: nightlyOnly }, async () => {
    const data = await photo(52);
    const files: Files = {
      'a.jpg': data,
      'site.css': 'body { height: 800px; background: url(a.jpg) 0 0 / cover }',
      'index.html': PAGE('<link rel="stylesheet" href="site.css">', 'x'),
    };
    await withLoadedPackage(
      files,
      [{ at: '/a.jpg', data }],
      async (desk) => {
        await apply(desk);
        assert.equal((await validate(desk)).rendered.ok, true);
        const { width, height } = await sharp(data).metadata();
        const red = sharp({ create: { width, height, channels: 3, background: '#f00' } });
        await writeFile(join(desk.folder, 'a.webp'), await red.webp().toBuffer());
        const { problems } = await validate(desk);
        const found = problems.filter(({ file }) => file === 'index.html');
        assert.deepEqual(
          found.map(({ code }) => code),
          ['looks_different', 'looks_different', 'looks_different'],
        );
        assert.match(found[0]!.message, /^At 360 px \d+\.\d\d% of the pixels differ\.$/);
      },
      WITH_CHROMIUM,
    );
  });

  it('lists the pages that it could not check', { skip: nightlyOnly }, async () => {
    const data = await photo(53);
    const random = '<img src="a.jpg"><script>document.body.style.paddingTop = Math.random() * 900 + "px"</script>';
    const files: Files = { 'a.jpg': data, 'a.html': PAGE('', random) };
    for (let page = 1; page <= 10; page++) files[`b${page}.html`] = PAGE('', '<img src="a.jpg">');
    await withLoadedPackage(
      files,
      [{ at: '/a.jpg', data }],
      async (desk) => {
        await apply(desk);
        const { ok, rendered } = await validate(desk);
        assert.equal(ok, true);
        // At most ten pages are compared, as many as time allows.
        const [, compared, left] = /^(\d+) pages at .*; (\d+) more pages were left out; /.exec(rendered.details)!;
        assert.equal(Number(compared) + Number(left), 10);
        assert.ok(Number(left) >= 1);
        assert.match(rendered.details, /; not rendered: a\.html \(it looks otherwise each time\)$/);
      },
      WITH_CHROMIUM,
    );
  });
});

describe('pages that are not rendered', () => {
  it('are listed with the reason', async () => {
    const data = await photo(54);
    const cases: [Files, LocalServerOptions, RegExp][] = [
      [{ 'a.html': '<img src="/a.jpg">' }, { env: {} }, /^not rendered: Chromium was not found: /],
      [
        { 'a.jsx': 'export const a = <img src="/a.jpg" />;' },
        WITH_CHROMIUM,
        /^not rendered: no edited file is a page of plain/,
      ],
      [
        { 'a.html': '<img src="/a.jpg">{{ more }}' },
        WITH_CHROMIUM,
        /^not rendered: no edited file is a page of plain HTML/,
      ],
    ];
    for (const [files, options, expected] of cases) {
      await withLoadedPackage(
        { 'a.jpg': data, ...files },
        [{ at: '/a.jpg', data }],
        async (desk) => {
          await apply(desk);
          const { ok, rendered } = await validate(desk);
          assert.equal(ok, true);
          assert.match(rendered.details, expected);
        },
        options,
      );
    }
  });
});
