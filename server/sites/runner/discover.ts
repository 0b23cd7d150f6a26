/** The first phase of a scan: finds the pages of a website (docs/spec/shapes.md, section 16.1). */
import { setImmediate } from 'node:timers/promises';
import { EventLoopShare } from '../../../base/event-loop-share.ts';
import type { Failure } from '../../../base/failure.ts';
import { batched, processInOrder } from '../../../base/in-order.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { QueuedPage } from '../../../storage/ports/site-crawl.ts';
import type { SiteSource } from '../../../storage/records/site-sources.ts';
import { pageAddress } from '../../../web-documents/address.ts';
import { plainReference } from '../../../web-documents/plain-reference.ts';
import type { SitemapReading } from '../../../web-documents/reading.ts';
import { isSameSite, sitePart } from '../domain.ts';
import type { SiteRobots } from '../fetch/site-client.ts';
import type { ScanContext } from './context.ts';
import { Crawl, endedStep, NO_STEP, type Step, startedStep, type Warn } from './crawl.ts';
import { CrawlStore, MAX_LEVEL } from './crawl-store.ts';
import { failureOfDocument, fetchPage, fetchSitemap, type PageOutcome, referencesOf } from './documents.ts';
import { emptyList, redirectedToOtherSite, unexpectedResponse } from './errors.ts';
import { type Candidate, PageList, type PreparedCandidates } from './page-list.ts';
import { Site } from './site.ts';

const START_REDIRECTS = 10;
const MAX_SITEMAPS = 500;
/** Paths of sitemaps to try when robots.txt names none. */
const USUAL_SITEMAPS = ['/sitemap.xml', '/sitemap_index.xml', '/wp-sitemap.xml'];

/** Maximum addresses of a list or a sitemap stored in one step. */
const CANDIDATES_PER_STEP = 200;
/** Maximum pages that are being fetched or wait for those before them. */
const MAX_CONCURRENT_PAGES = 8;
const BATCH = 50;
const SMALL_LIST_PAGES = 100;

/**
 * Lists the pages of the website. Everything found is stored at once, so that a repetition continues where it was
 * stopped.
 * @throws Failure `url_fetch_failed` when nothing can be found
 */
export async function discover(context: ScanContext): Promise<void> {
  const crawl = new Crawl(context, 'discovering');
  const { source } = context.scan;
  if (source === 'list') return await discoverList(crawl);
  const discovery = await begin(crawl);
  await readSitemaps(discovery);
  if (source === 'url') await followLinks(discovery);
  if (discovery.list.listed === 0) throw unexpectedResponse('a sitemap with pages of its own host', 'another one');
}

interface Discovery {
  crawl: Crawl;
  site: Site;
  robots: SiteRobots;
  keeper: CrawlStore;
  list: PageList;
}

async function openDiscovery(crawl: Crawl, origin: string): Promise<Discovery> {
  const { client, settings, signal } = crawl.context;
  const site = new Site(origin, settings, crawl.matchPaths);
  // If robots.txt cannot be read, no page may be read.
  const robots = await client.robots(`${origin}/`, signal);
  return { crawl, site, robots, keeper: new CrawlStore(crawl, site), list: await PageList.open(crawl, site, robots) };
}

async function begin(crawl: Crawl): Promise<Discovery> {
  const { scan } = crawl.context;
  if (scan.origin !== null) return await openDiscovery(crawl, scan.origin);
  return scan.source === 'sitemap' ? await beginWithSitemap(crawl) : await beginWithPage(crawl);
}

/** Fetches the start page. It decides the origin of the website and is the first page of the list. */
async function beginWithPage(crawl: Crawl): Promise<Discovery> {
  const { url, outcome } = await fetchStart(crawl);
  const finalUrl = finalAddressOf(outcome, url);
  const discovery = await openDiscovery(crawl, new URL(finalUrl).origin);
  const { list, keeper, site } = discovery;
  const first = site.page(finalUrl)!;
  const start = await list.weigh([{ url: first, depth: 0, foundBy: 'start' }]);
  const weighed = await prepare(discovery, { depth: 0 }, outcome);
  await keepListed(discovery, endedStep(first), async (repositories, warn) => {
    await setOrigin(repositories, crawl, site.origin);
    await list.add(repositories, start, warn);
    const [page] = await repositories.siteCrawl.unreadPages(crawl.scanId, { depth: -1, seq: 0 }, 1);
    if (page)
      return await keeper.page(repositories, page, outcome, {
        list,
        ...weighed,
        next: 'found',
        read: async () => ({}),
        warn,
      });
    // The page is skipped, but its links are followed.
    await list.add(repositories, weighed.links, warn);
  });
  return discovery;
}

/** @throws Failure `url_fetch_failed` when there is no page, or one of another website */
async function fetchStart(crawl: Crawl): Promise<{ url: string; outcome: PageOutcome }> {
  const { scan, signal } = crawl.context;
  const address = scan.url ?? '';
  const attempts = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? [address] : [`https://${address}`, `http://${address}`];
  let failure: Failure | undefined;
  for (const attempt of attempts) {
    const url = pageAddress(attempt);
    if (url === undefined) continue;
    // Where the page redirects to is checked below.
    const outcome = await fetchPage(crawl, url, async () => undefined, { signal, maxRedirects: START_REDIRECTS });
    const host = new URL(finalAddressOf(outcome, url)).hostname;
    if (!isSameSite(host, new URL(url).hostname)) throw redirectedToOtherSite(host);
    if (outcome.type === 'skipped' && outcome.reason === 'not_html')
      throw unexpectedResponse('a page', 'another kind of file');
    if (outcome.type !== 'failed') return { url, outcome };
    failure = outcome.failure;
    // The host has responded: trying the other scheme would not help.
    if (outcome.fetched) break;
  }
  throw failure ?? unexpectedResponse('an address of http or https', 'another text');
}

/** The best known address of a page after redirects. */
const finalAddressOf = (outcome: PageOutcome, url: string): string =>
  outcome.fetched?.finalUrl ?? (outcome.type === 'skipped' ? outcome.forbiddenUrl : undefined) ?? url;

async function beginWithSitemap(crawl: Crawl): Promise<Discovery> {
  const { scan, signal } = crawl.context;
  const url = pageAddress(scan.url ?? '');
  if (url === undefined) throw unexpectedResponse('an address of http or https', 'another text');
  const { fetched, reading } = await fetchSitemap(crawl, url, { signal });
  if (reading.pages.length + reading.sitemaps.length === 0)
    throw unexpectedResponse('a sitemap', 'another kind of file');
  const host = new URL(fetched.finalUrl).hostname;
  if (!isSameSite(host, new URL(url).hostname)) throw redirectedToOtherSite(host);
  const discovery = await openDiscovery(crawl, new URL(fetched.finalUrl).origin);
  await crawl.keep(NO_STEP, 0, async (repositories) => {
    await setOrigin(repositories, crawl, discovery.site.origin);
    const { source } = await repositories.siteCrawl.lastSeqs(crawl.scanId);
    const first = { scanId: crawl.scanId, seq: source + 1, kind: 'sitemap' as const, url, pageSeq: null };
    await repositories.siteCrawl.insertSources([{ ...first, status: 'found' }]);
  });
  const [root] = await crawl.context.services.database.siteCrawl.unreadSitemaps(crawl.scanId, 0, 1);
  await keepSitemap(discovery, root!, reading);
  return discovery;
}

/** Sets the origin of the scan: from now on everything is decided relative to it. */
async function setOrigin({ siteScans }: Repositories, crawl: Crawl, origin: string): Promise<void> {
  const { scan, settings } = crawl.context;
  const domain = sitePart(origin);
  // Ownership, which allows ignoring robots.txt, was proved only for the website in the request.
  const kept = domain === scan.domain ? {} : { settings: JSON.stringify({ ...settings, respect_robots: true }) };
  await siteScans.change(crawl.scanId, { origin, domain, ...kept });
}

/** Stores a step that may add pages to the list. */
async function keepListed(
  { crawl, list }: Pick<Discovery, 'crawl' | 'list'>,
  step: Step,
  work: (repositories: Repositories, warn: Warn) => Promise<void>,
): Promise<void> {
  await crawl.keep(step, 0, work);
  crawl.done = list.listed;
}

/** Prepares the links of a page before the transaction that stores them, because other transactions wait for it. */
async function prepare(
  { keeper, list }: Pick<Discovery, 'keeper' | 'list'>,
  page: Pick<QueuedPage, 'depth'>,
  outcome: PageOutcome,
): Promise<{ links: PreparedCandidates; excluded: ReadonlySet<string> }> {
  return {
    links: await list.weigh(outcome.type === 'read' ? keeper.links(page, outcome.reading) : []),
    excluded: await keeper.excludedImages(referencesOf(outcome)),
  };
}

// Sitemaps.

async function readSitemaps(discovery: Discovery): Promise<void> {
  const { crawl, robots, site } = discovery;
  const { siteCrawl } = crawl.context.services.database;
  const { source: kind } = crawl.context.scan;
  const named = kind === 'url' ? new Set(robots.sitemaps) : new Set<string>();
  if (kind === 'url') {
    const urls = named.size > 0 ? [...named] : USUAL_SITEMAPS.map((path) => site.origin + path);
    await crawl.keep(NO_STEP, 0, async (repositories, warn) => {
      const known = new Set((await repositories.siteCrawl.knownSources(crawl.scanId, urls)).map(({ url }) => url));
      const fresh = urls.filter((url) => !known.has(url));
      const room = MAX_SITEMAPS - (await repositories.siteCrawl.countSources(crawl.scanId, 'sitemap'));
      const { source: last } = await repositories.siteCrawl.lastSeqs(crawl.scanId);
      await repositories.siteCrawl.insertSources(
        fresh.slice(0, room).map((url, index) => ({
          scanId: crawl.scanId,
          seq: last + index + 1,
          kind: 'sitemap',
          url,
          pageSeq: null,
          status: 'found',
        })),
      );
      if (fresh.length > room) warn('sitemap_errors');
    });
  }
  const next = batched<SiteSource>((after) => siteCrawl.unreadSitemaps(crawl.scanId, after?.seq ?? 0, BATCH));
  for (let source = await next(); source; source = await next()) {
    if (crawl.bytesLeft <= 0) return await crawl.keep(NO_STEP, 0, async (_, warn) => warn('over_limit'));
    await readSitemap(discovery, source, named);
  }
}

async function readSitemap(discovery: Discovery, source: SiteSource, named: ReadonlySet<string>): Promise<void> {
  const { crawl, site } = discovery;
  const { signal } = crawl.context;
  // A usual path that was not named anywhere may not exist.
  const optional = !named.has(source.url) && USUAL_SITEMAPS.some((path) => source.url === site.origin + path);
  try {
    const { reading } = await fetchSitemap(crawl, source.url, { signal, optional });
    await keepSitemap(discovery, source, reading);
  } catch (error) {
    failureOfDocument(error, signal);
    await crawl.keep(endedStep(source.url), 0, async ({ siteCrawl }, warn) => {
      await siteCrawl.failSource(crawl.scanId, source.seq);
      // A missing sitemap at a usual path is no error.
      const level = await siteCrawl.levelOf(crawl.scanId, source.seq);
      if (level > 0 || named.has(source.url)) warn('sitemap_errors');
    });
  }
}

async function keepSitemap(
  { crawl, site, keeper, list }: Discovery,
  source: SiteSource,
  reading: SitemapReading,
): Promise<void> {
  const { scanId } = crawl;
  const { siteCrawl } = crawl.context.services.database;
  const candidates = reading.pages.map((url): Candidate => ({ url, depth: 0, foundBy: 'sitemap' }));
  await addAll({ crawl, list }, source.url, candidates);
  // The sitemap is done with the step that stores its images. Until then it is read again.
  const pages = new Map<string, number>();
  const pageUrls = [
    ...new Set(reading.images.map(({ pageUrl }) => site.page(pageUrl)).filter((url) => url !== undefined)),
  ];
  for (let start = 0; start < pageUrls.length; start += CANDIDATES_PER_STEP)
    for (const { url, seq } of await siteCrawl.knownPages(scanId, pageUrls.slice(start, start + CANDIDATES_PER_STEP)))
      pages.set(url, seq);
  const references = reading.images.flatMap(({ pageUrl, ...image }) => {
    const pageSeq = pages.get(site.page(pageUrl) ?? '');
    return pageSeq === undefined ? [] : [{ ...plainReference({ role: 'image_sitemap', ...image }), pageSeq }];
  });
  const excluded = await keeper.excludedImages(references);
  const level = await siteCrawl.levelOf(scanId, source.seq);
  const room = MAX_SITEMAPS - (await siteCrawl.countSources(scanId, 'sitemap'));
  const further = level < MAX_LEVEL ? reading.sitemaps : [];
  const linked = further.slice(0, room).map((url) => ({ kind: 'sitemap' as const, url }));
  const whole = {
    kind: 'sitemap' as const,
    url: source.url,
    pageSeq: null,
    references,
    excluded,
    truncated: false,
    linked,
  };
  await crawl.keep(endedStep(source.url), 0, async (repositories, warn) => {
    await keeper.source(repositories, whole, warn);
    if (reading.faulty || reading.truncated || linked.length < reading.sitemaps.length) warn('sitemap_errors');
  });
}

/** Adds many pages to the list in batches, so that others can use the database in between. */
async function addAll(
  listing: Pick<Discovery, 'crawl' | 'list'>,
  url: string | null,
  candidates: readonly Candidate[],
): Promise<void> {
  for (let start = 0; start < candidates.length; start += CANDIDATES_PER_STEP) {
    await setImmediate();
    const weighed = await listing.list.weigh(candidates.slice(start, start + CANDIDATES_PER_STEP));
    await keepListed(listing, startedStep(url), (repositories, warn) => listing.list.add(repositories, weighed, warn));
  }
}

// Lists.

async function discoverList(crawl: Crawl): Promise<void> {
  const { scan, settings, client, services, signal } = crawl.context;
  const { siteScans } = services.database;
  let list: PageList | undefined;
  for (let part = await siteScans.nextListPart(scan.id); part; part = await siteScans.nextListPart(scan.id)) {
    for await (const urls of listedAddresses(part.addresses)) {
      signal.throwIfAborted();
      list ??= await openList(scan.origin ?? new URL(urls[0]!).origin);
      await addAll(
        { crawl, list },
        null,
        urls.map((url) => ({ url, depth: 0, foundBy: 'list' })),
      );
    }
    const done = part.part;
    await crawl.keep(NO_STEP, 0, (repositories) => repositories.siteScans.removeListPart(scan.id, done));
  }
  // If the phase was interrupted after the last chunk, no chunks are left.
  if (!list && scan.origin === null) throw emptyList();

  async function openList(origin: string): Promise<PageList> {
    const robots = await client.robots(`${origin}/`, signal);
    const opened = await PageList.open(crawl, new Site(origin, settings, crawl.matchPaths), robots);
    await crawl.keep(NO_STEP, 0, (repositories) => setOrigin(repositories, crawl, origin));
    return opened;
  }
}

/**
 * The addresses of a chunk, some at a time so that the event loop is not blocked. A chunk from an older version
 * contains the whole list.
 */
async function* listedAddresses(list: string): AsyncGenerator<[string, ...string[]]> {
  const share = new EventLoopShare();
  for (let start = 0; start < list.length; await share.next()) {
    const urls = new Set<string>();
    for (let lines = 0; lines < CANDIDATES_PER_STEP && start < list.length; lines += 1) {
      // Reads at least one line, because otherwise a slow machine would make no progress.
      if (lines > 0 && share.isUsedUp) break;
      const found = list.indexOf('\n', start);
      const end = found === -1 ? list.length : found;
      const url = listedAddress(list.slice(start, end).trim());
      if (url !== undefined) urls.add(url);
      start = end + 1;
    }
    const [first, ...others] = urls;
    if (first !== undefined) yield [first, ...others];
  }
}

/** The address in one line of a list. A host alone is accepted too. */
function listedAddress(line: string): string | undefined {
  if (line === '') return undefined;
  return pageAddress(/^[a-z][a-z0-9+.-]*:/i.test(line) ? line : `https://${line}`);
}

// Links.

/** Reads selected pages and follows their links. */
async function followLinks(discovery: Discovery): Promise<void> {
  const { crawl, site, keeper, list } = discovery;
  const { scan, signal, services } = crawl.context;
  const { siteCrawl } = services.database;
  const next = batched<QueuedPage>((after) =>
    siteCrawl.unreadPages(crawl.scanId, after ?? { depth: -1, seq: 0 }, BATCH),
  );
  // A small list is completed, so that its owner sees which further pages exist. With a large list, the rest is read
  // during scanning.
  const isEnough = () => list.isFull && scan.pagesAllowed > SMALL_LIST_PAGES;
  await processInOrder({
    atATime: MAX_CONCURRENT_PAGES,
    signal,
    next: async () => (isEnough() || crawl.bytesLeft <= 0 ? undefined : await next()),
    work: async (page, either) => {
      const outcome = await fetchPage(crawl, page.url, (url) => site.leftOut(url), { signal: either });
      return { outcome, weighed: await prepare(discovery, page, outcome) };
    },
    keep: async (page, { outcome, weighed: { links, excluded } }) => {
      // When the list became full, later pages were already being fetched. Their links are ignored, as they would be on
      // a repetition.
      const isFollowed = !isEnough();
      await keepListed({ crawl, list }, endedStep(page.url), (repositories, warn) =>
        keeper.page(repositories, page, outcome, {
          list,
          excluded,
          ...(isFollowed && { links }),
          next: 'found',
          read: async () => ({}),
          warn,
        }),
      );
      crawl.context.tell({ type: 'page', scanId: crawl.scanId, seq: page.seq });
      return true;
    },
  });
}
