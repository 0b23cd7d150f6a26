/**
 * Pages as Chromium shows them, each at several widths, and how two of them differ. Everything that they ask for comes from
 * `serve`. The browser is opened without a network (`NO_NETWORK`), because not all that a page sends can be answered here.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface Served {
  body: Buffer;
  contentType: string | undefined;
}

/** What stands under a path of the site, which is percent-decoded and starts with a slash; undefined: 404. */
export type Serve = (path: string) => Promise<Served | undefined>;

export interface ImageBox {
  /** As it is written. */
  src: string;
  /** CSS pixels of the page. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PageShot {
  /** Of the page, in CSS pixels. */
  height: number;
  /** Of all `img`, in the order of the document. */
  boxes: ImageBox[];
  png: Buffer;
}

/** It is never asked for: names under `.invalid` lead nowhere (RFC 6761). */
const ORIGIN = 'http://project.invalid';

const WINDOW_HEIGHT = 900;
/** Of a page at all widths. */
const MAX_PAGE_MS = 15_000;
const MAX_IMAGES_MS = 3000;
/** Lower down the boxes are compared alone. */
const MAX_SHOT_HEIGHT = 6000;
/** Of a channel, of 255. What lossy compression does to a picture is mostly less. */
const CHANNEL_DIFFERENCE = 32;

/**
 * A shot of a page for each width, of the window in CSS pixels, loaded anew each time.
 * @throws Error of Playwright, also where they take longer than 15 s together
 */
export async function takeShots(
  browser: Browser,
  serve: Serve,
  path: string,
  widths: readonly number[],
): Promise<PageShot[]> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
  });
  const timer = setTimeout(() => void context.close().catch(() => {}), MAX_PAGE_MS);
  try {
    await answerRequests(context, serve);
    const page = await context.newPage();
    // A page that asks something waits for nobody.
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
    const shots: PageShot[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: WINDOW_HEIGHT });
      await page.goto(ORIGIN + encodeURI(path), { waitUntil: 'load', timeout: MAX_PAGE_MS });
      await loadAll(page);
      shots.push(await look(page, width));
    }
    return shots;
  } finally {
    clearTimeout(timer);
    await context.close().catch(() => {});
  }
}

async function answerRequests(context: BrowserContext, serve: Serve): Promise<void> {
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

/** Lazy images too. */
async function loadAll(page: Page): Promise<void> {
  await page.evaluate(async (limit) => {
    for (const image of document.querySelectorAll('img')) image.loading = 'eager';
    // Some scripts load what comes into the window.
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
  }, MAX_IMAGES_MS);
}

async function look(page: Page, width: number): Promise<PageShot> {
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
 * The share of pixels that differ visibly, of two shots at half their size: from 0 to 1. Chromium counts them, away from this
 * process. What only one of them has differs.
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
