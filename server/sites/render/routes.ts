/**
 * Answers the requests of a rendered page. The browser itself has no network: everything is fetched by the client of
 * the scan, so that robots.txt, the pace, the guard of private addresses and the scanned folder apply to the browser
 * too.
 */
import type { BrowserContext, Page, Request, Route } from 'playwright-core';
import type { SiteClient } from '../fetch/site-client.ts';
import type { RenderTimeLimit } from './time-limit.ts';

/**
 * Resource types needed to draw a page. Other hosts are asked for nothing else, so that a page's activity is not
 * reported to anyone.
 */
const RENDERING_RESOURCES: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font', 'image']);
/** Resource types that the hosts of the website may serve. */
const OWN_HOST_RESOURCES: ReadonlySet<string> = new Set([...RENDERING_RESOURCES, 'document', 'xhr', 'fetch']);

const MAX_REQUESTS = 1000;
const MAX_BYTES = 20_000_000;

/** A page that has already been fetched: its final address and its bytes. */
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

/** Answers all requests of the pages in a browser context. */
export async function routeRequests(context: BrowserContext, page: Page, options: RouteOptions): Promise<void> {
  const { document, client, isOwn, time, signal } = options;
  let requests = 0;
  let isOpened = false;

  async function answer(route: Route): Promise<void> {
    const request = route.request();
    if (isMainNavigation(request, page)) {
      // A script must not navigate to another page: this page is the one to measure.
      if (isOpened) return await route.abort('aborted');
      isOpened = true;
      const { contentType = 'text/html', data } = document;
      return await route.fulfill({ status: 200, contentType, body: Buffer.from(data) });
    }
    const url = request.url();
    const isAllowed =
      (isOwn(url) ? OWN_HOST_RESOURCES : RENDERING_RESOURCES).has(request.resourceType()) && request.method() === 'GET';
    if (!isAllowed || ++requests > MAX_REQUESTS) return await route.abort('blockedbyclient');
    const accept = request.headers().accept ?? '*/*';
    const { status, contentType, data } = await client.fetch({ url, accept, maxBytes: MAX_BYTES, signal });
    await route.fulfill({ status, ...(contentType && { contentType }), body: Buffer.from(data) });
  }

  await context.route(
    () => true,
    (route) =>
      time.during(() =>
        // A request that fails is aborted, as for a visitor. A closed page needs nothing more.
        answer(route).catch(() => route.abort('failed').catch(() => {})),
      ),
  );
}

function isMainNavigation(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The request is from a frame that does not exist yet: a window opened by a script.
    return false;
  }
}
