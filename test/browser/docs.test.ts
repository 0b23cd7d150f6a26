/** The documentation in Chromium: its layout at every size, and the targets of all links. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { type Console, withConsole } from '../support/console.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { browserSkipReason } from '../support/separate-browser.ts';

/** One page of each kind. */
const CHECKED_PAGES = [
  '',
  '/start',
  '/compress',
  '/faces',
  '/webhooks',
  '/limits',
  '/mcp',
  '/reference',
  '/reference-jobs',
];

/** Maximum size of a page, compressed with Brotli and without its images. */
const MAX_COMPRESSED_BYTES = 200_000;

describe('the documentation in a browser', { skip: browserSkipReason }, () => {
  it('shows every kind of page without axe violations', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, address, look }) => {
      for (const path of CHECKED_PAGES) {
        await page.goto(`${address}/docs${path}`);
        await page.locator('main h1').waitFor();
        await look(`docs${path.replace('/', '-')}`);
      }
    }),
  );

  it('shows whole tables on a phone, every cell with its heading', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, address }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      for (const path of ['/limits', '/mcp', '/compress', '/formats']) {
        await page.goto(`${address}/docs${path}`);
        const hidden = await page.evaluate(
          `[...document.querySelectorAll('article .scrolls:has(table)')].map((each) => each.scrollWidth - each.clientWidth)`,
        );
        assert.ok((hidden as number[]).length > 0, path);
        assert.ok(
          (hidden as number[]).every((pixels) => pixels <= 0),
          `${path}: ${hidden}`,
        );
      }
      await page.goto(`${address}/docs/limits`);
      const content = await page.evaluate(
        `getComputedStyle(document.querySelector('article td:nth-child(3)'), '::before').content`,
      );
      assert.match(String(content), /pro/);
    }),
  );

  it('has a target for every link, and small pages', { skip: nightlyOnly }, () => withConsole(crawl));

  it('finds pages and parameters with the filter, by keyboard alone', () =>
    withConsole(async ({ page, address }) => {
      await page.goto(`${address}/docs`);
      const filter = page.getByRole('searchbox').locator('visible=true');
      await filter.fill('crop ratio');
      await page.getByText(/^\d+ found$/).waitFor();
      await filter.press('Enter');
      await page.waitForURL(/#.*crop_ratio/);
      assert.ok(await page.locator('tr:target').isVisible());
      await page.goto(`${address}/docs`);
      await filter.fill('nothing is called so');
      await page.getByText('Nothing found').waitFor();
    }));

  it('copies code, and shows all of it in the chosen language', () =>
    withConsole(async ({ page, context, address }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${address}/docs/compress`);
      const [first, second] = await page.locator('.variants').all();
      await first!.getByText('Python').click();
      await second!.locator('.language-python').waitFor({ state: 'visible' });
      await page.reload();
      await first!.locator('.language-python').waitFor({ state: 'visible' });
      await first!.getByRole('button', { name: 'Copy' }).locator('visible=true').click();
      await first!.getByRole('status').getByText('Copied').waitFor();
      assert.match(`${await page.evaluate('navigator.clipboard.readText()')}`, /^import os/);
    }));

  it('works without scripts', { skip: nightlyOnly }, () =>
    withConsole(async ({ context, address }) => {
      const page = await context
        .browser()!
        .newPage({ javaScriptEnabled: false })
        .catch(() => undefined);
      // A browser with a profile on disk cannot open a second context.
      const answer = page
        ? await (await page.goto(`${address}/docs/compress`))!.text()
        : await (await fetch(`${address}/docs/compress`)).text();
      assert.match(answer, /<h1[^>]*>Compress/);
      assert.doesNotMatch(answer, /<script(?![^>]* src="\/console\/)/);
      await page?.close();
    }),
  );
});

/** Follows every link of the service from `/docs`, and checks that the targets of fragments exist. */
async function crawl({ page, address }: Console): Promise<void> {
  const known = new Map<string, { ids: Set<string>; links: string[] }>();
  const open = async (path: string) => {
    const answer = await page.request.get(address + path);
    assert.equal(answer.status(), 200, path);
    const html = await answer.text();
    const found = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, value]) => value!);
    assert.ok(brotliCompressSync(html).byteLength < MAX_COMPRESSED_BYTES, path);
    return { ids: new Set(found(/ id="([^"]+)"/g)), links: found(/ (?:href|src)="([^"]+)"/g), html };
  };
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const opened = await open(path);
    known.set(path, opened);
    for (const link of opened.links) {
      const target: URL = new URL(link, address + path);
      if (target.origin !== address || known.has(target.pathname) || waiting.includes(target.pathname)) continue;
      if (/^\/docs(\/[\w-]+)?$/.test(target.pathname)) waiting.push(target.pathname);
      else if (target.pathname !== '/') assert.equal((await page.request.get(target.href)).status(), 200, link);
    }
  }
  assert.ok(known.size > 30, `${known.size}`);
  for (const [path, { links }] of known)
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link, address + path);
      const target = known.get(pathname);
      if (origin !== address || !target || hash === '') continue;
      assert.ok(target.ids.has(decodeURIComponent(hash.slice(1))), `${link} on ${path}`);
    }
}
