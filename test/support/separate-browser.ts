/** The installed Chromium, driven by Playwright, in a process and with a profile of its own. */
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { FEWER_FEATURES } from '../../chromium/chromium.ts';
import { withFolder } from './folder.ts';
import { repositoryFile } from './repository.ts';
import { findProgram, skipWithout } from './tool.ts';

const PROGRAM = 'chromium';

/** Used while the service is measured: a browser stands for a client, which has its own machine. */
const LOW_PRIORITY_PROGRAM = fileURLToPath(repositoryFile('test/support/low-priority-chromium.sh'));

/** Maximum wait for anything on a page. A busy machine took 4 times as long as an idle one. */
const MAX_WAIT_MS = 180_000;

const VIEWPORT = { width: 1280, height: 800 };

/** The reason to skip a test that needs a browser, or false if there is one. */
export const browserSkipReason: string | false = skipWithout(PROGRAM);

export interface Browser {
  context: BrowserContext;
  /** The first tab, empty. */
  page: Page;
}

export const launchOptions = () => ({
  executablePath: process.env.IMAGECREW_TEST_HOLDS ? LOW_PRIORITY_PROGRAM : findProgram(PROGRAM)!,
  // The sandbox is not available as root, nor in most containers, and the pages are our own.
  chromiumSandbox: false,
  args: [FEWER_FEATURES],
});

export const contextOptions = { viewport: VIEWPORT } as const;

/**
 * Runs `work` with a separate browser, which is closed afterwards. Unlike a private window it stores icons of tabs, and
 * can install sites.
 * @param profile folder of its profile; by default a new one, which is removed afterwards
 */
export async function withSeparateBrowser<T>(work: (browser: Browser) => Promise<T>, profile?: string): Promise<T> {
  if (profile === undefined) return withFolder((folder) => withSeparateBrowser(work, folder));
  return await runInContext(
    await chromium.launchPersistentContext(profile, { ...launchOptions(), ...contextOptions }),
    work,
  );
}

/** Runs `work` with the first tab of a context, which is closed afterwards. */
export async function runInContext<T>(context: BrowserContext, work: (browser: Browser) => Promise<T>): Promise<T> {
  context.setDefaultTimeout(MAX_WAIT_MS);
  try {
    return await work({ context, page: context.pages()[0] ?? (await context.newPage()) });
  } finally {
    await context.close();
  }
}
