/** The console in Chromium, served by a separate process. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { issueKey, SCOPES } from '../../server/account/keys.ts';
import type { Database } from '../../storage/ports/database.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { withBrowser } from './browser.ts';
import { isNightly } from './nightly.ts';
import { openServed } from './serve-process.ts';
import { isSelected, isThorough } from './thorough.ts';
import { SCAN_ENV } from './website/scan.ts';

/** Folder for screenshots, to be looked at. */
const SHOTS = process.env.CONSOLE_SHOTS;

const SIZES = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 360, height: 740 },
] as const;
const SCHEMES = ['light', 'dark'] as const;
/**
 * axe takes most of a second, so it checks one of these for each name, and `npm test` one name in three.
 * IMAGECREW_TEST_THOROUGH checks all combinations.
 */
const AXE_CHECKS = [
  { name: 'desktop', colorScheme: 'light' },
  { name: 'phone', colorScheme: 'dark' },
] as const;

export interface Console {
  page: Page;
  context: BrowserContext;
  /** Address of the service. */
  address: string;
  /** Name of the account of this test, which has the plan pro. */
  account: string;
  /** Its key, with all scopes. */
  key: string;
  /** Opens a page of the console, such as `/jobs`, with the key in place. */
  open(route: string): Promise<void>;
  /**
   * Checks the page as it is now: at both sizes nothing is wider than the window, and axe finds no violation at one of
   * them (AXE_CHECKS).
   * @param name of its screenshots
   */
  look(name: string): Promise<void>;
}

interface Service {
  address: string;
  database: Database;
  close(): Promise<void>;
}

/** The services that the tests of this process share, by their settings. All may fetch from servers of the tests. */
const services = new Map<string, Promise<Service>>();
// Set here and not where a service starts: a hook that is set inside a test belongs to that test.
after(async () => {
  for (const service of services.values()) await (await service).close();
});

async function startService(env: Record<string, string>): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'imagecrew-'));
  const served = await openServed(folder, env);
  const database = await openDatabase(folder);
  const close = async () => {
    await database.close();
    await served.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { address: served.address, database, close };
}

function serviceWith(env: Record<string, string>): Promise<Service> {
  const settings = JSON.stringify(env);
  const service = services.get(settings) ?? startService(env);
  services.set(settings, service);
  return service;
}

/** Creates an account like the one of the first start. */
async function createAccount({ accounts, keys }: Database) {
  const name = `account ${randomUUID()}`;
  const { id: accountId } = await accounts.create({ name, email: null, plan: 'pro' });
  const about = { name: 'first key', mode: 'live', scopes: SCOPES, monthlyLimit: null, expiresAt: null } as const;
  return { account: name, key: (await issueKey(keys, { accountId, ...about })).key };
}

/**
 * Runs `work` with a new account and a private window. Tests with the same settings share a service. Asserts that
 * nothing was logged to the browser's console and that no request has left the service.
 */
export async function withConsole(
  work: (session: Console) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const { address, database } = await serviceWith({ ...SCAN_ENV, ...env });
  const { account, key } = await createAccount(database);
  await withBrowser(async ({ page, context }) => {
    const complaints = collectProblems(page, address);
    await work({
      ...{ page, context, address, account, key },
      async open(route) {
        // The first visit sets the key, with the address that the service prints.
        if (!page.url().startsWith(address)) await page.goto(`${address}/#key=${key}`);
        await page.goto(`${address}/#${route}`);
        await page.locator('main h1').waitFor();
      },
      look: (name) => checkPage(page, name),
    });
    assert.deepEqual(complaints, []);
  });
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

/** See `look` of {@link Console}. */
export async function checkPage(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!;
  const checked = AXE_CHECKS[name.length % AXE_CHECKS.length]!;
  const isNameChecked = isNightly || isSelected(0, name.length, 3);
  for (const { name: size, width, height } of SIZES) {
    const { width: shownWidth, height: shownHeight } = page.viewportSize()!;
    if (width !== shownWidth || height !== shownHeight) await page.setViewportSize({ width, height });
    const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(excess) <= 0, `${name}, ${size}: ${excess} pixels wider than the window`);
    for (const colorScheme of SCHEMES) {
      const isOne = size === checked.name && colorScheme === checked.colorScheme;
      const isChecked = isThorough || (isNameChecked && isOne);
      if (!isChecked && !SHOTS) continue;
      await page.emulateMedia({ colorScheme });
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      if (isChecked) assert.deepEqual(await violationsOf(page), [], `${name}, ${size}, ${colorScheme}`);
    }
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

/** Everything else that axe returns, such as the elements that pass, would take longer than the check. */
const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) })))`;

async function violationsOf(page: Page): Promise<object[]> {
  // Loads the complete library, which takes a moment, once per page.
  if (!(await page.evaluate('"axe" in window')))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return await page.evaluate(VIOLATIONS);
}
