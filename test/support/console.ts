/** The console in Chromium, served by a separate process. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { withBrowser } from './browser.ts';
import { withFolder } from './folder.ts';
import { withServed } from './serve-process.ts';
import { isThorough } from './thorough.ts';

/** Folder for screenshots, to be looked at. */
const SHOTS = process.env.CONSOLE_SHOTS;

const SIZES = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 360, height: 740 },
] as const;
const SCHEMES = ['light', 'dark'] as const;

export interface Console {
  page: Page;
  context: BrowserContext;
  /** Address of the service. */
  address: string;
  /** Key of the first account, with all scopes. */
  key: string;
  /** Opens a page of the console, such as `/jobs`, with the key in place. */
  open(route: string): Promise<void>;
  /**
   * Checks the page as it is now, at both sizes and in both colour schemes: nothing is wider than the window, and axe
   * finds no violation.
   * @param name of its screenshots
   */
  look(name: string): Promise<void>;
}

/** Runs `work`. Asserts that nothing was logged to the browser's console and that no request has left the service. */
export async function withConsole(
  work: (session: Console) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  await withFolder((folder) =>
    withServed(
      join(folder, 'data'),
      ({ address, greeting, key }) =>
        withBrowser(async ({ page, context }) => {
          assert.ok(key, greeting);
          const complaints = collectProblems(page, address);
          await work({
            ...{ page, context, address, key },
            async open(route) {
              // The first visit sets the key, with the address that the service prints.
              if (!page.url().startsWith(address)) await page.goto(`${address}/#key=${key}`);
              await page.goto(`${address}/#${route}`);
              await page.locator('main h1').waitFor();
            },
            look: (name) => checkPage(page, name),
          });
          assert.deepEqual(complaints, []);
        }),
      env,
    ),
  );
}

/**
 * Returns a list that collects the problems of a page: what it logs to the browser's console, and requests to other
 * origins.
 */
export function collectProblems(page: Page, address: string): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isFailedResponse(message.text()))
      complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith(`blob:${address}/`)) complaints.push(`asked for ${url}`);
  });
  return complaints;
}

/** Chromium logs every 4xx and 5xx response, which the page itself shows to people. */
const isFailedResponse = (text: string): boolean => text.startsWith('Failed to load resource: the server responded');

/** See `checkPage` of {@link Console}. */
export async function checkPage(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!;
  for (const { name: size, width, height } of SIZES)
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      const where = `${name}, ${size}, ${colorScheme}`;
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(excess) <= 0, `${where}: ${excess} pixels wider than the window`);
      // axe checks each size and each scheme once; all combinations take twice the time.
      if (isThorough || (size === 'desktop') === (colorScheme === 'light'))
        assert.deepEqual(await violationsOf(page), [], where);
    }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

async function violationsOf(page: Page): Promise<object[]> {
  // Loads the complete library, which takes a moment, once per page.
  if (!(await page.evaluate('"axe" in window')))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }));
}
