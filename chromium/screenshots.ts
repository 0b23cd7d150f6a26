/**
 * Takes screenshots of pages in Chromium at several widths, and measures how two screenshots differ. All requests are
 * answered by `serve`. Open the browser with `NO_NETWORK`, because not all traffic of a page can be intercepted here.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface ServedFile {
  body: Buffer;
  contentType: string | undefined;
}

/** Returns the file at a path of the site, percent-decoded and with a leading slash. Undefined: 404. */
export type Serve = (path: string) => Promise<ServedFile | undefined>;

export interface ImageBox {
  /** The address as written in the page. */
  src: string;
  /** Position and size in CSS pixels of the page. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PageScreenshot {
  /** Height of the page in CSS pixels. */
  height: number;
  /** The boxes of all `img`, in document order. */
  boxes: ImageBox[];
  png: Buffer;
}

/** No request reaches this host: names under `.invalid` do not resolve (RFC 6761). */
const ORIGIN = 'http://project.invalid';

const WINDOW_HEIGHT = 900;
/** Time limit of a page, for all widths together. */
const MAX_PAGE_MS = 15_000;
const IMAGE_LOAD_TIMEOUT_MS = 3000;
/** Below this height only the boxes are compared. */
const MAX_SHOT_HEIGHT = 6000;
/** Minimum visible difference of a channel, out of 255. Lossy compression mostly causes smaller differences. */
const CHANNEL_DIFFERENCE = 32;

/**
 * Takes a screenshot of a page for each viewport width in CSS pixels. The page is loaded again for each.
 * @throws Error of Playwright, also when all shots together take longer than 15 s
 */
export async function takeScreenshots(
  browser: Browser,
  serve: Serve,
  path: string,
  widths: readonly number[],
): Promise<PageScreenshot[]> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  });
  const timer = setTimeout(() => void context.close().catch(() => {}), MAX_PAGE_MS);
  try {
    await serveRequests(context, serve);
    const page = await context.newPage();
    // Dismiss dialogs: nobody will answer them.
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
    const shots: PageScreenshot[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: WINDOW_HEIGHT });
      await page.goto(ORIGIN + encodeURI(path), { waitUntil: 'load', timeout: MAX_PAGE_MS });
      await loadAll(page);
      shots.push(await screenshotPage(page, width));
    }
    return shots;
  } finally {
    clearTimeout(timer);
    await context.close().catch(() => {});
  }
}

async function serveRequests(context: BrowserContext, serve: Serve): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => void socket.close());
  await context.route(/.*/, async (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== ORIGIN) {
      await route.abort().catch(() => {});
      return;
    }
    const served = await serve(decoded(url.pathname)).catch(() => undefined);
    const answer = served
      ? { status: 200, body: served.body, ...(served.contentType ? { contentType: served.contentType } : {}) }
      : { status: 404, body: '' };
    await route.fulfill(answer).catch(() => {});
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Loads all images, including lazy ones. */
async function loadAll(page: Page): Promise<void> {
  await page.evaluate(async (limit) => {
    for (const image of document.querySelectorAll('img')) image.loading = 'eager';
    // Scroll, because some scripts load what enters the viewport.
    for (let y = 0; y < Math.min(document.documentElement.scrollHeight, 30_000); y += innerHeight) {
      scrollTo(0, y);
      await new Promise(requestAnimationFrame);
    }
    scrollTo(0, 0);
    const loaded = [...document.images].map(async (image) => {
      if (!image.complete) await new Promise((resolve) => image.addEventListener('load', resolve, { once: true }));
      await image.decode();
    });
    await Promise.race([
      Promise.allSettled([...loaded, document.fonts.ready]),
      new Promise((resolve) => setTimeout(resolve, limit)),
    ]);
    await new Promise(requestAnimationFrame);
  }, IMAGE_LOAD_TIMEOUT_MS);
}

async function screenshotPage(page: Page, width: number): Promise<PageScreenshot> {
  const { height, boxes } = await page.evaluate(() => ({
    height: document.documentElement.scrollHeight,
    boxes: [...document.querySelectorAll('img')].map((image) => {
      const box = image.getBoundingClientRect();
      return {
        src: image.getAttribute('src') ?? '',
        x: box.x + scrollX,
        y: box.y + scrollY,
        width: box.width,
        height: box.height,
      };
    }),
  }));
  const clip = { x: 0, y: 0, width, height: Math.max(1, Math.min(height, MAX_SHOT_HEIGHT)) };
  const png = await page.screenshot({ fullPage: true, clip, animations: 'disabled', caret: 'hide', scale: 'css' });
  return { height, boxes, png };
}

/**
 * The share of pixels that differ visibly between two screenshots at half their size, from 0 to 1. Pixels that only one
 * of them has count as different. Chromium counts them, outside this process.
 */
export async function differingShare(browser: Browser, one: Buffer, other: Buffer): Promise<number> {
  if (one.equals(other)) return 0;
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    return await page.evaluate(
      async ({ images, limit }) => {
        const bitmaps = await Promise.all(
          images.map(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
            return await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
          }),
        );
        const width = Math.ceil(Math.max(...bitmaps.map((each) => each.width)) / 2);
        const height = Math.ceil(Math.max(...bitmaps.map((each) => each.height)) / 2);
        const [first, second] = bitmaps.map((bitmap) => {
          const context = new OffscreenCanvas(width, height).getContext('2d')!;
          context.imageSmoothingQuality = 'high';
          context.drawImage(bitmap, 0, 0, bitmap.width / 2, bitmap.height / 2);
          return context.getImageData(0, 0, width, height).data;
        });
        let differing = 0;
        for (let at = 0; at < first!.length; at += 4)
          if ([0, 1, 2, 3].some((channel) => Math.abs(first![at + channel]! - second![at + channel]!) > limit))
            differing += 1;
        return differing / (width * height);
      },
      { images: [one.toString('base64'), other.toString('base64')], limit: CHANNEL_DIFFERENCE },
    );
  } finally {
    await context.close().catch(() => {});
  }
}
