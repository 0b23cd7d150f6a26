/** Websites in the console: a scan from start to package, with the real service and a real website. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { type Console, withConsole } from '../../support/console.ts';
import { withServer } from '../../support/http-server.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { ScanClient } from '../../support/website/scan.ts';
import { Website } from '../../support/website/website.ts';

/** Enough images for a second part of their list. */
const SITE = { pages: 10, images: 30 };
/** Enough pages for a list of three, with few images. */
const SMALL_SITE = { pages: 6, images: 6 };

interface WebsiteConsole extends Console {
  /** Origin of the website. */
  origin: string;
  site: Website;
  /** Holds the response of one image of the website until the returned function is called. */
  hold(): () => void;
  /** Replaces a page of the website. */
  replace(path: string, html: string): void;
}

function withWebsite(work: (stage: WebsiteConsole) => Promise<void>, options = SITE): Promise<void> {
  let site: Website | undefined;
  let held: Promise<void> | undefined;
  const replaced = new Map<string, string>();
  const listener: RequestListener = (request, response) => {
    const html = replaced.get(request.url!);
    if (html !== undefined) return void response.setHeader('Content-Type', 'text/html').end(html);
    const wait = request.url!.includes('/picture-6.') ? held : undefined;
    if (wait) void wait.then(() => site!.serve(request, response));
    else site!.serve(request, response);
  };
  const hold = () => {
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      release();
      held = undefined;
    };
  };
  const replace = (path: string, html: string) => void replaced.set(path, html);
  return withServer(listener, async ({ origin }) => {
    site = await Website.build(origin, options);
    await withConsole((session) => work({ ...session, origin, site: site!, hold, replace }));
  });
}

/** Waits until the tag of the scan shows this state. */
const state = (page: Page, label: string) => page.locator('.about .tag', { hasText: label }).waitFor();
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the scan' }).getByRole('link', { name }).click();

/** Fills in the form, without a pause between requests, because the website is local. */
async function fillIn({ open, page }: Console, address: string): Promise<void> {
  await open('/websites/new');
  await page.getByLabel('Address of the website').fill(address);
  await page.getByText('More settings').click();
  await page.getByText('How it asks the website').click();
  await page.getByLabel('Pause between requests').fill('0');
}

const start = (page: Page) => page.getByRole('button', { name: 'Start the scan' }).click();

describe('websites in the console', { skip: browserSkipReason, timeout: 900_000 }, () => {
  it('scans a website, decides on its images and downloads the package', { skip: nightlyOnly }, () =>
    withWebsite(async (stage) => {
      const { page, open, look, origin, site, hold } = stage;
      await open('/websites');
      await page.getByRole('heading', { name: 'No website yet' }).waitFor();
      await look('websites-empty');

      await fillIn(stage, 'not an address');
      await look('websites-new');
      await start(page);
      await page.getByText('for url but received').waitFor();
      await page.getByLabel('Address of the website').fill(origin);
      const release = hold();
      await start(page);

      await state(page, 'Reading pages');
      await page.getByText(/^Now: \//).waitFor();
      await look('websites-scanning');
      await page.reload();
      await state(page, 'Reading pages');
      release();
      await state(page, 'Done');
      await page.getByText('with the new files').waitFor();
      await page.getByRole('list', { name: 'Bytes by kind of image' }).waitFor();
      await look('websites-overview');

      await section(page, 'Pages');
      await page.getByRole('link', { name: 'Page 1 – ž' }).waitFor();
      await look('websites-pages');
      await page.getByRole('button', { name: 'Bytes of images' }).click();
      await page.locator('th[aria-sort="descending"]', { hasText: 'Bytes of images' }).waitFor();
      await page.getByLabel('Address or title').fill('page-3');
      await page.locator('table.pages tbody tr').nth(1).waitFor({ state: 'detached' });
      await page.locator('table.pages tbody a').click();
      const planted = site.expected.references.get(`${origin}/section-1/page-3.html`)!;
      const { line, column } = planted.find(({ role }) => role === 'img_src')!;
      await page.getByText(`line ${line}, column ${column}`).first().waitFor();
      await look('websites-page');

      await section(page, 'Images');
      await page.locator('.image-card img').nth(3).waitFor();
      await look('websites-images');
      await decideOnImages(page, look);
      await section(page, 'Findings');
      await page.getByRole('heading', { name: 'Images in an old format' }).waitFor();
      await page.getByText('Which ones').first().click();
      await page.locator('.examples li').first().waitFor();
      await look('websites-findings');

      await rebuildPackage(stage);
      await section(page, 'Package');
      await state(page, 'Done');
      await page.getByText(/^Built/).waitFor();
      await look('websites-package');
      await checkPackage(page);
      await checkAgentConfiguration(stage);
      for (const way of ['nginx', 'Apache', 'Netlify']) {
        await page.getByRole('tab', { name: way }).click();
        await page.getByText('answers the old addresses').waitFor();
      }

      await open('/websites');
      await page.getByRole('region', { name: '127.0.0.1' }).getByText('Done').waitFor();
      await look('websites-list');
    }),
  );

  it('lets the user choose pages, convert manually, and delete', { skip: nightlyOnly }, () =>
    withWebsite(async (stage) => {
      const { page, look, origin, hold } = stage;
      await fillIn(stage, origin);
      await page.getByLabel('Let me choose the pages first').check();
      await page.getByLabel('Convert images by hand').check();
      await start(page);
      await state(page, 'Waits for you');
      await page.getByRole('link', { name: 'Choose the pages' }).click();
      await page.getByRole('button', { name: 'Choose none' }).click();
      await page.getByText(/^0 of \d+ pages chosen/).waitFor();
      await page.getByLabel('By path').fill('/section-1/page-*');
      await page.getByRole('button', { name: 'Choose these' }).click();
      await page.getByText(/^8 of \d+ pages chosen/).waitFor();
      // The list is reloaded after the count has changed.
      await page.locator('table.pages input:checked').nth(7).waitFor();
      await page.getByLabel('Scan /section-1/page-4.html').uncheck();
      await page.getByText(/^7 of \d+ pages chosen/).waitFor();
      await look('websites-review');
      const release = hold();
      await page.getByRole('button', { name: 'Scan 7 pages' }).click();
      await state(page, 'Reading pages');
      await page.getByRole('button', { name: 'Stop' }).click();
      await state(page, 'Stopped');
      release();
      await page.getByRole('button', { name: 'Go on' }).click();
      await state(page, 'Ready');
      await look('websites-ready');
      await section(page, 'Package');
      await page.getByText('no image is converted yet').waitFor();
      await page.getByRole('button', { name: 'Convert the images' }).click();
      await state(page, 'Done');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('are removed for good').waitFor();
      await look('websites-delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No website yet' }).waitFor();

      // A port on which no server listens.
      await fillIn(stage, 'http://127.0.0.1:9/');
      await start(page);
      await state(page, 'Failed');
      await page.getByText('url_fetch_failed').waitFor();
      await look('websites-failed');
    }),
  );

  it('accepts a list of pages and a sitemap, and shows changes since the last scan', () =>
    withWebsite(async (stage) => {
      const { page, open, look, origin, replace } = stage;
      const begin = async (source: string, field: string, value: string) => {
        await open('/websites/new');
        await page.getByText(source, { exact: true }).click();
        await page.getByLabel(field).fill(value);
        await page.getByLabel('Convert images by hand').check();
        await page.getByText('More settings').click();
        await page.getByText('How it asks the website').click();
        await page.getByLabel('Pause between requests').fill('0');
        await start(page);
        await state(page, 'Ready');
        await section(page, 'Pages');
      };
      const list = ['', 'section-1/page-3.html', 'section-1/page-4.html'].map((path) => `${origin}/${path}`);
      await begin('List of pages', 'Addresses of the pages', list.join('\n'));
      const rows = page.locator('table.pages tbody tr');
      await rows.nth(2).waitFor();
      assert.equal(await rows.count(), 3);

      // Only the first page is read by both scans.
      replace('/', '<!doctype html><title>First</title><img src="/new.png" alt="New">');
      await begin('Sitemap', 'Address of the sitemap', `${origin}/sitemap_index.xml`);
      // The scan of the sitemap has the first page and one that no other page links to.
      await rows.nth(1).waitFor();
      assert.equal(await rows.filter({ hasText: /page-[34]/ }).count(), 0);
      await section(page, 'Overview');
      const changes = page.getByRole('region', { name: 'Changes' });
      const added = changes.locator('div', { has: page.getByText('Images new', { exact: true }) }).locator('dd');
      assert.equal(Number(await added.last().textContent()), 1);
      await look('websites-changes');
      await changes.getByRole('link', { name: 'See that scan' }).click();
      await section(page, 'Pages');
      await rows.nth(2).waitFor();
      assert.equal(await rows.count(), 3);
    }, SMALL_SITE));
});

async function decideOnImages(page: Page, look: Console['look']): Promise<void> {
  const cards = page.locator('.image-card');
  const approve = cards.nth(0).getByRole('button', { name: /^Approve/ });
  await approve.focus();
  await page.keyboard.press('a');
  await cards.nth(0).getByText('approved', { exact: true }).waitFor();
  await page.keyboard.press('r');
  await cards.nth(0).getByText('rejected', { exact: true }).waitFor();
  await cards.nth(1).getByRole('checkbox').check();
  await cards.nth(2).getByRole('checkbox').check();
  const many = page.getByRole('region', { name: 'Several images at once' });
  await many.getByText('2 images chosen').waitFor();
  await many.getByRole('button', { name: 'Approve' }).click();
  for (const place of [1, 2]) await cards.nth(place).getByText('approved', { exact: true }).waitFor();
  await page.getByText('Table', { exact: true }).click();
  await page.locator('table.image-table tbody tr').nth(1).waitFor();
  await look('websites-images-table');
  await page.locator('table.image-table .name a').nth(1).click();
  await page.getByRole('heading', { name: 'Where it is used' }).waitFor();
  await page.locator('.use summary').first().click();
  await page
    .getByText(/line \d+, column \d+/)
    .first()
    .waitFor();
  await page.locator('.image-detail img').first().waitFor();
  await look('websites-image');
}

/**
 * Rebuilds the package and waits for it through the API: at first the page still shows the previous one as done.
 */
async function rebuildPackage({ page, address, key }: Console): Promise<void> {
  const accepted = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Rebuild the package' }).click();
  const { id } = (await (await accepted).json()) as { id: string };
  assert.equal((await new ScanClient(address, key).ended(id)).status, 'done');
}

/** Checks that the page tells the agent to start the program that this service hands out. */
async function checkAgentConfiguration({ page, address }: Console): Promise<void> {
  const tag = JSON.parse((await fetch(`${address}/mcp-local.tgz`)).headers.get('etag')!);
  const start = ['-y', `${address}/mcp-local.tgz?version=${tag}`, 'mcp', '--root', '.', '--base-url', address];
  await page.getByText(start[1]!).waitFor();
  const shown = (await page.getByLabel('Configuration of the agent').textContent())!;
  const { command, args } = JSON.parse(/\{.*\}/s.exec(shown)![0]).mcpServers['imagecrew-local'];
  assert.deepEqual([command, args], ['npx', start]);
}

/** Checks the files of the downloaded package and the approvals of its images. */
async function checkPackage(page: Page): Promise<void> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Download the package/ }).click();
  const files = unzipSync(await readFile(await (await saved).path()));
  for (const name of ['mapping.json', 'report.html', 'AGENT.md', 'rules/nginx.conf']) assert.ok(files[name], name);
  const { replacements } = JSON.parse(Buffer.from(files['mapping.json']!).toString()) as {
    replacements: { to: string; approval: string }[];
  };
  assert.ok(replacements.length > 2);
  for (const { to } of replacements) assert.ok(files[to], to);
  assert.equal(replacements.filter(({ approval }) => approval === 'approved').length, 2);
  const table = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download mapping.csv' }).click();
  const csv = await readFile(await (await table).path(), 'utf8');
  assert.equal(csv.trim().split('\r\n').length, replacements.length + 1);
}
