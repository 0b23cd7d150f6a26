/** Fetches and reads the documents of a website: pages, style sheets, manifests, sitemaps. */
import { Failure } from '../../../base/failure.ts';
import type { PageSkipReason } from '../../../storage/records/site-pages.ts';
import { plainReference } from '../../../web-documents/plain-reference.ts';
import type { DocumentKind, DocumentReading, ImageReference, SitemapReading } from '../../../web-documents/reading.ts';
import { isLikelyPage } from '../../http/response-body.ts';
import { RobotsForbidden, type SiteFetch, type SiteResponse } from '../fetch/site-client.ts';
import { IMAGE_ACCEPT } from '../image-accept.ts';
import { addRendered } from '../render/combine.ts';
import { siteHosts } from '../site-hosts.ts';
import type { Crawl } from './crawl.ts';
import { unexpectedResponse } from './errors.ts';

/** Size limits: docs/spec/shapes.md, section 16.1, steps 3 and 8. */
const PAGE_BYTES = 10_000_000;
const SITEMAP_BYTES = 50_000_000;
const LINKED_BYTES = { stylesheet: 5_000_000, manifest: 1_000_000 };

const ACCEPT = {
  page: 'text/html,application/xhtml+xml,*/*;q=0.1',
  sitemap: 'application/xml,text/xml,text/plain,*/*;q=0.1',
  stylesheet: 'text/css,*/*;q=0.1',
  manifest: 'application/manifest+json,application/json,*/*;q=0.1',
};

const DEFAULT_ICON = '/favicon.ico';

/** The stored part of a response. */
export interface FetchedResponse extends Omit<SiteResponse, 'data'> {
  /** Size of the body without content coding. */
  bytes: number;
}

/** The result for one page. */
export type PageOutcome =
  | { type: 'read'; fetched: FetchedResponse; reading: DocumentReading; notRendered?: true }
  | { type: 'skipped'; reason: PageSkipReason; fetched?: FetchedResponse; forbiddenUrl?: string }
  | { type: 'failed'; failure: Failure; fetched?: FetchedResponse };

/**
 * Fetches a page and reads it.
 * @param leftOut returns the reason to skip a page that was redirected to an address, if any
 * @throws errors that are not the page's: the abort reason of the signal, or an internal error
 */
export async function fetchPage(
  crawl: Crawl,
  url: string,
  leftOut: (url: string) => Promise<PageSkipReason | undefined>,
  options: { signal: AbortSignal; maxRedirects?: number },
): Promise<PageOutcome> {
  const { client } = crawl.context;
  const { signal } = options;
  let fetched: FetchedResponse | undefined;
  try {
    const answer = await client.fetch({ url, accept: ACCEPT.page, maxBytes: PAGE_BYTES, ...options });
    fetched = describe(answer);
    if (answer.status !== 200) throw unexpectedResponse('a page', `status ${answer.status}`);
    const { finalUrl } = answer;
    const reason = answer.redirects > 0 ? await leftOut(finalUrl) : undefined;
    if (reason) return { type: 'skipped', reason, fetched };
    if (!isPage(answer)) return { type: 'skipped', reason: 'not_html', fetched };
    // Reading transfers the bytes to a worker.
    const copy = crawl.context.renderer && { ...answer, data: answer.data.slice() };
    const markup = await read(crawl, 'page', answer, signal);
    const rendered = copy && (await renderedReading(crawl, copy, markup, signal));
    const reading = rendered ?? markup;
    const icon = await defaultIcon(crawl, finalUrl, reading, signal);
    if (icon) reading.references.push(icon);
    return { type: 'read', fetched, reading, ...(copy && !rendered && { notRendered: true }) };
  } catch (error) {
    if (error instanceof RobotsForbidden) {
      const { finalUrl: forbiddenUrl } = error;
      return {
        type: 'skipped',
        reason: (await leftOut(forbiddenUrl)) === 'off_domain' ? 'off_domain' : 'robots',
        forbiddenUrl,
      };
    }
    return { type: 'failed', failure: failureOfDocument(error, signal), ...(fetched && { fetched }) };
  }
}

/** Renders a page and adds the result to its reading. Undefined when it is not or cannot be rendered. */
async function renderedReading(
  crawl: Crawl,
  { finalUrl: url, contentType, data }: SiteResponse,
  markup: DocumentReading,
  signal: AbortSignal,
): Promise<DocumentReading | undefined> {
  const { client, renderer, scan, settings } = crawl.context;
  const isOwn = siteHosts({ ...scan, origin: scan.origin ?? new URL(url).origin }, settings);
  const document = { url, contentType, data: new Uint8Array(data) };
  const rendered = await renderer?.render({ document, client, isOwn, signal });
  if (!rendered) return undefined;
  const html = new TextEncoder().encode(rendered.html);
  if (html.length > PAGE_BYTES) return undefined;
  const answer = { data: html.buffer, finalUrl: url, contentType: 'text/html; charset=utf-8' };
  return addRendered(markup, await read(crawl, 'page', answer, signal), rendered.shown);
}

/** The image references of a page; none when it was not read. */
export const referencesOf = (outcome: PageOutcome): readonly ImageReference[] =>
  outcome.type === 'read' ? outcome.reading.references : [];

/**
 * The icon that browsers request when the home page names none, if it exists. It is not in any text: line and column
 * are 0.
 */
async function defaultIcon(
  crawl: Crawl,
  pageUrl: string,
  { references }: DocumentReading,
  signal: AbortSignal,
): Promise<ImageReference | undefined> {
  const { pathname, search, origin } = new URL(pageUrl);
  if (pathname !== '/' || search !== '' || references.some(({ role }) => role === 'link_icon')) return undefined;
  const url = `${origin}${DEFAULT_ICON}`;
  try {
    const { client } = crawl.context;
    const request = { url, method: 'HEAD', accept: IMAGE_ACCEPT, maxBytes: 0, optional: true, signal } as const;
    const answer = await client.fetch(request);
    if (answer.status !== 200 || !answer.contentType?.startsWith('image/')) return undefined;
  } catch (error) {
    // The icon was not named anywhere, so its absence is no error.
    failureOfDocument(error, signal);
    return undefined;
  }
  return plainReference({ role: 'link_icon', url, raw: DEFAULT_ICON, line: 0, column: 0 });
}

/**
 * Fetches a style sheet or a manifest and reads it.
 * @throws Failure of the document; errors that are not the document's
 */
export async function fetchLinked(
  crawl: Crawl,
  kind: 'stylesheet' | 'manifest',
  url: string,
  signal: AbortSignal,
): Promise<{ fetched: FetchedResponse; reading: DocumentReading }> {
  const answer = await fetchDocument(crawl, { url, accept: ACCEPT[kind], maxBytes: LINKED_BYTES[kind], signal });
  if (isLikelyPage(answer.contentType, answer.data) && kind === 'stylesheet')
    throw unexpectedResponse('a style sheet', 'a page');
  return { fetched: describe(answer), reading: await read(crawl, kind, answer, signal) };
}

/**
 * Fetches a sitemap and reads it.
 * @throws Failure of the sitemap; errors that are not the sitemap's
 */
export async function fetchSitemap(
  crawl: Crawl,
  url: string,
  options: { signal: AbortSignal; optional?: boolean },
): Promise<{ fetched: FetchedResponse; reading: SitemapReading }> {
  const answer = await fetchDocument(crawl, { url, accept: ACCEPT.sitemap, maxBytes: SITEMAP_BYTES, ...options });
  const fetched = describe(answer);
  const input = { document: { data: answer.data }, params: { url: answer.finalUrl } };
  return { fetched, reading: await crawl.run('read-sitemap', input, options.signal) };
}

/** Reads a document. Its bytes are transferred to a worker and are no longer usable. */
export async function read(
  crawl: Crawl,
  kind: DocumentKind,
  { data, finalUrl, contentType }: Pick<SiteResponse, 'data' | 'finalUrl' | 'contentType'>,
  signal: AbortSignal,
): Promise<DocumentReading> {
  return await crawl.run('read-document', { document: { data }, params: { kind, url: finalUrl, contentType } }, signal);
}

/**
 * The failure of a document or an image that was to be fetched, including a worker crash caused by it.
 * @throws the error itself when it has another cause
 */
export function failureOfDocument(error: unknown, signal: AbortSignal): Failure {
  signal.throwIfAborted();
  if (error instanceof Failure && error.code !== 'shutting_down') return error;
  throw error;
}

export const describe = ({ data, ...answer }: SiteResponse): FetchedResponse => ({ ...answer, bytes: data.byteLength });

async function fetchDocument(crawl: Crawl, request: SiteFetch): Promise<SiteResponse> {
  const answer = await crawl.context.client.fetch(request);
  if (answer.status !== 200) throw unexpectedResponse('a document', `status ${answer.status}`);
  return answer;
}

const PAGE_TYPES = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** Checks the content type. Without one, the first character decides. */
function isPage({ contentType, data }: SiteResponse): boolean {
  if (contentType !== undefined) return PAGE_TYPES.test(contentType);
  return /^\ufeff?\s*</.test(new TextDecoder().decode(data.slice(0, 256)));
}
