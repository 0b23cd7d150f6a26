/**
 * Renders pages in Chromium to find the images that scripts add and the displayed sizes. For websites of the person who
 * runs the command: in a service it would run the scripts of strangers.
 */
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { Failure } from '../../../base/failure.ts';
import { ChromiumUnavailable, type Environment, NO_NETWORK, openChromium } from '../../../chromium/chromium.ts';
import type { SiteClient } from '../fetch/site-client.ts';
import { type DisplayedImage, readDisplayedImages, scrollThrough } from './in-page.ts';
import { type FetchedPage, routeRequests } from './routes.ts';
import { RenderTimeLimit, type RenderTimes } from './time-limit.ts';

/** Viewport widths in CSS pixels: a phone, a laptop, a large screen. */
const WIDTHS = [360, 1440, 2560];
const HEIGHT = 900;
const MAX_SCREENS = 60;
const MAX_IMAGES = 20_000;
const TIMES: RenderTimes = { own: 15_000, whole: 180_000 };
/** A page is complete when it has sent no request for this time. */
const IDLE_MS = 250;
/** A page that keeps sending requests is measured after this many waits. */
const MAX_IDLE_WAITS = 40;
const CLOSE_TIMEOUT_MS = 5000;

export interface RenderedPage {
  /** The document after its scripts have run. */
  html: string;
  /** Images from all viewports. */
  shown: readonly DisplayedImage[];
}

export interface RenderRequest {
  document: FetchedPage;
  client: SiteClient;
  isOwn: (url: string) => boolean;
  signal: AbortSignal;
}

export class PageRenderer {
  readonly #env: Environment;
  readonly #times: RenderTimes;
  #browser: Browser;
  /** The end of the previous page. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(env: Environment, times: RenderTimes, browser: Browser) {
    this.#env = env;
    this.#times = times;
    this.#browser = browser;
  }

  /** Starts the browser. @throws Failure `invalid_parameter` when Chromium is not installed */
  static async open(env: Environment, times = TIMES): Promise<PageRenderer> {
    return new PageRenderer(env, times, await open(env));
  }

  /**
   * Renders one page at a time, so that a page that breaks the browser does not affect another.
   * @returns undefined for a page that takes too long or crashes the browser
   * @throws the abort reason of the signal
   */
  render(request: RenderRequest): Promise<RenderedPage | undefined> {
    const rendered = this.#last.then(() => this.#render(request));
    this.#last = rendered.catch(() => {});
    return rendered;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #render({ signal, ...request }: RenderRequest): Promise<RenderedPage | undefined> {
    signal.throwIfAborted();
    if (!this.#browser.isConnected()) this.#browser = await open(this.#env);
    const time = new RenderTimeLimit(this.#times);
    const either = AbortSignal.any([signal, time.signal]);
    try {
      const context = await this.#browser.newContext({
        viewport: { width: WIDTHS[0]!, height: HEIGHT },
        serviceWorkers: 'block',
        acceptDownloads: false,
        permissions: [],
      });
      try {
        const page = await context.newPage();
        page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
        context.on('page', (other) => void other.close().catch(() => {}));
        await routeRequests(context, page, { ...request, time, signal: either });
        return await unlessAborted(renderAllWidths(page, request.document.url, time, either), either);
      } finally {
        const isClosed = await Promise.race([
          context.close().then(
            () => true,
            () => false,
          ),
          setTimeout(CLOSE_TIMEOUT_MS, false, { ref: false }),
        ]);
        // The next page starts a new browser.
        if (!isClosed) await this.#browser.close();
      }
    } catch {
      signal.throwIfAborted();
      return undefined;
    } finally {
      time.end();
    }
  }
}

async function open(env: Environment): Promise<Browser> {
  const browser = await openChromium(env, NO_NETWORK);
  if (!(browser instanceof ChromiumUnavailable)) return browser;
  const sentence = 'Expected an installed Chromium for --render but received none.';
  throw new Failure('invalid_parameter', `${sentence} ${browser.reason}`);
}

async function renderAllWidths(
  page: Page,
  url: string,
  time: RenderTimeLimit,
  signal: AbortSignal,
): Promise<RenderedPage> {
  const shown: DisplayedImage[] = [];
  // The page is limited as a whole.
  page.setDefaultTimeout(0);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await waitUntilIdle(time, signal);
    await page.evaluate(scrollThrough, MAX_SCREENS);
    await waitUntilIdle(time, signal);
    shown.push(...(await page.evaluate(readDisplayedImages, MAX_IMAGES)));
  }
  return { html: await page.content(), shown };
}

/** Waits until the page sends no more requests. */
async function waitUntilIdle(time: RenderTimeLimit, signal: AbortSignal): Promise<void> {
  for (let waits = 0; waits < MAX_IDLE_WAITS; waits += 1) {
    await setTimeout(IDLE_MS, undefined, { signal });
    if (!time.hasPending) return;
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
