/** The installed Chromium, driven by Playwright: what a real browser makes of our answers. */
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { withFolder } from './folder.ts';
import { repositoryFile } from './repository.ts';
import { tool, without } from './tool.ts';

const PROGRAM = 'chromium';

/** Where the service is measured: a browser stands for a client, which has a machine of its own. */
const LOW_PRIORITY_PROGRAM = fileURLToPath(repositoryFile('test/support/low-priority-chromium.sh'));

/** The longest wait for anything on a page. A machine that does much else took 4 times as long as one that does nothing else. */
const LONGEST_WAIT_MS = 180_000;

/** The reason to skip a test that needs a browser; false when there is one. */
export const noBrowser: string | false = without(PROGRAM);

export interface Browser {
  context: BrowserContext;
  /** Its first tab, empty. */
  page: Page;
}

/**
 * Runs `work` with a browser of its own, which is closed afterwards.
 * @param profile folder of its profile; without it the profile is new, and removed afterwards
 */
export async function withBrowser<T>(work: (browser: Browser) => Promise<T>, profile?: string): Promise<T> {
  if (profile === undefined) return withFolder((folder) => withBrowser(work, folder));
  // A profile on disk, because sites cannot be installed from a private window, and that is one of the checks.
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.IMAGECREW_TEST_HOLDS ? LOW_PRIORITY_PROGRAM : tool(PROGRAM)!,
    // It cannot be had as root, nor in most containers, and the pages are our own.
    chromiumSandbox: false,
    viewport: { width: 1280, height: 800 },
  });
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  try {
    return await work({ context, page: context.pages()[0] ?? (await context.newPage()) });
  } finally {
    await context.close();
  }
}
