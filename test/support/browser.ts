/** The installed Chromium, one process for all tests of a process, to test how a real browser handles responses. */
import { after } from 'node:test';
import { type Browser as BrowserProcess, chromium } from 'playwright-core';
import { type Browser, contextOptions, launchOptions, runInContext } from './separate-browser.ts';

let shared: Promise<BrowserProcess> | undefined;
// Set here and not where the browser starts: a hook that is set inside a test belongs to that test.
after(async () => (await shared)?.close());

/** Runs `work` with a private window, which is closed afterwards. */
export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  shared ??= chromium.launch(launchOptions());
  return await runInContext(await (await shared).newContext(contextOptions), work);
}
