/**
 * How a rendered page gets what it asks for: by the client of the scan alone, so that robots.txt, the pace, the guard of private
 * addresses and the folder that is scanned hold for the browser too. The browser itself has no network.
 */
import type { BrowserContext, Page, Request, Route } from 'playwright-core';
import type { SiteClient } from '../fetch/site-client.ts';
import type { RenderTimeLimit } from './time-limit.ts';

/** What pages are drawn with; other hosts give nothing else, so that nobody is told of what a page does. */
const DRAWN_WITH: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font', 'image']);
/** What the hosts of the website give besides. */
const OWN: ReadonlySet<string> = new Set([...DRAWN_WITH, 'document', 'xhr', 'fetch']);

const MAX_REQUESTS = 1000;
const MAX_BYTES = 20_000_000;

/** A page that was fetched already: where it is in the end, and its bytes. */
export interface FetchedPage {
  url: string;
  contentType: string | undefined;
  data: Uint8Array;
}

export interface RouteOptions {
  document: FetchedPage;
  client: SiteClient;
  /** Whether an address is on a host of the website. */
  isOwn: (url: string) => boolean;
  time: RenderTimeLimit;
  signal: AbortSignal;
}

/** Answers everything that the pages of a browser context ask for. */
export async function routeRequests(context: BrowserContext, page: Page, options: RouteOptions): Promise<void> {
  const { document, client, isOwn, time, signal } = options;
  let requests = 0;
  let isOpened = false;

  async function answer(route: Route): Promise<void> {
    const request = route.request();
    if (isMainNavigation(request, page)) {
      // A script may not lead the page elsewhere: what is measured is this page.
      if (isOpened) return await route.abort('aborted');
      isOpened = true;
      const { contentType = 'text/html', data } = document;
      return await route.fulfill({ status: 200, contentType, body: Buffer.from(data) });
    }
    const url = request.url();
    const isAllowed = (isOwn(url) ? OWN : DRAWN_WITH).has(request.resourceType()) && request.method() === 'GET';
    if (!isAllowed || ++requests > MAX_REQUESTS) return await route.abort('blockedbyclient');
    const accept = request.headers().accept ?? '*/*';
    const { status, contentType, data } = await client.fetch({ url, accept, maxBytes: MAX_BYTES, signal });
    await route.fulfill({ status, ...(contentType && { contentType }), body: Buffer.from(data) });
  }

  await context.route(
    () => true,
    (route) =>
      time.during(() =>
        // What cannot be had is missing, as it would be for a visitor; a page that is closed needs nothing more.
        answer(route).catch(() => route.abort('failed').catch(() => {})),
      ),
  );
}

function isMainNavigation(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // Of a frame that is not there yet: a window that a script has opened.
    return false;
  }
}
