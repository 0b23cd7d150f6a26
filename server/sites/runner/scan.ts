/**
 * The second phase of a scan: fetches the selected pages, their linked documents and their images (docs/spec/shapes.md,
 * sections 16.1 to 16.3).
 */

import { batched, processInOrder } from '../../../base/in-order.ts';
import { timestamp } from '../../../base/timestamp.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { QueuedPage } from '../../../storage/ports/site-crawl.ts';
import type { SitePage } from '../../../storage/records/site-pages.ts';
import type { SiteSource } from '../../../storage/records/site-sources.ts';
import { RobotsForbidden } from '../fetch/site-client.ts';
import { fetchAssets } from './assets.ts';
import type { ScanContext } from './context.ts';
import { Crawl, endedStep, NO_STEP, startedStep, type Warning } from './crawl.ts';
import { CrawlStore, MAX_LEVEL } from './crawl-store.ts';
import { failureOfDocument, fetchLinked, fetchPage, type PageOutcome, referencesOf } from './documents.ts';
import { Site } from './site.ts';

/** Maximum documents that are being fetched or wait for those before them. */
const MAX_CONCURRENT_DOCUMENTS = 8;
const BATCH = 50;

/**
 * Fetches selected pages that have not been fetched. Everything is stored at once, so that a repetition continues where
 * it was stopped.
 */
export async function scan(context: ScanContext): Promise<void> {
  const crawl = new Crawl(context, 'scanning');
  const site = new Site(context.scan.origin!, context.settings, crawl.matchPaths);
  const keeper = new CrawlStore(crawl, site);
  await crawl.keep(NO_STEP, 0, async ({ siteCrawl }) => {
    await siteCrawl.putBack(crawl.scanId);
    await siteCrawl.queueSelected(crawl.scanId);
  });
  await scanPages(crawl, site, keeper);
  await readLinked(crawl, keeper);
  await fetchAssets(crawl, site, keeper);
}

async function scanPages(crawl: Crawl, site: Site, keeper: CrawlStore): Promise<void> {
  const { scanId } = crawl;
  const { signal, services, tell } = crawl.context;
  const { siteCrawl } = services.database;
  const pages = await siteCrawl.countPages(scanId);
  const images = await siteCrawl.countAssets(scanId);
  crawl.done = Math.max(crawl.done, pages.ended + images.ended);
  // Counts the known images. More are added as they are found.
  crawl.total = crawl.done + pages.queued + images.found;
  const next = batched<QueuedPage>((after) => siteCrawl.queuedPages(scanId, after ?? { depth: -1, seq: 0 }, BATCH));
  await processInOrder<QueuedPage, { outcome: PageOutcome; excluded: ReadonlySet<string> } | undefined>({
    atATime: MAX_CONCURRENT_DOCUMENTS,
    signal,
    next: async () => (crawl.bytesLeft > 0 ? await next() : undefined),
    work: async (page, either) => {
      if (page.isRead === 1) return undefined;
      await crawl.keep(startedStep(page.url), 0, (repositories) =>
        repositories.siteCrawl.changePage(scanId, page.seq, { status: 'scanning' }),
      );
      tell({ type: 'page', scanId, seq: page.seq });
      const outcome = await fetchPage(crawl, page.url, (url) => site.leftOut(url), { signal: either });
      return { outcome, excluded: await keeper.excludedImages(referencesOf(outcome)) };
    },
    keep: async (page, fetched) => {
      const goesOn = await crawl.keep(endedStep(page.url), 1, async (repositories, warn) => {
        let changes: Partial<SitePage> | undefined;
        const read = async () => {
          changes = await chargedChanges(crawl, repositories, page);
          return changes;
        };
        if (fetched)
          await keeper.page(repositories, page, fetched.outcome, {
            excluded: fetched.excluded,
            next: 'queued',
            read,
            warn,
          });
        else await repositories.siteCrawl.changePage(scanId, page.seq, await read());
        if (changes?.overLimit !== 1) return true;
        warn('over_limit');
        return false;
      });
      tell({ type: 'page', scanId, seq: page.seq });
      return goesOn;
    },
  });
  const { queued: left } = await siteCrawl.countPages(scanId);
  if (left === 0) return;
  // The package has no pages left, or the byte limit is reached.
  await crawl.keep(NO_STEP, 0, async (repositories, warn) => {
    await repositories.siteCrawl.putBack(scanId);
    await repositories.siteCrawl.leaveQueued(scanId);
    warn('over_limit');
  });
}

/** The changes for a page that was read. A page of a package is charged, once. */
async function chargedChanges(crawl: Crawl, { siteCrawl }: Repositories, page: QueuedPage): Promise<Partial<SitePage>> {
  const { scan, services } = crawl.context;
  if (scan.packageId !== null && page.isCharged === 0) {
    const now = timestamp(services.now());
    if (!(await siteCrawl.chargePage(scan.id, page.seq, scan.packageId, now)))
      return { status: 'found', selected: 0, overLimit: 1 };
  }
  return { status: 'scanned', skipReason: null };
}

/** The result for a style sheet or a manifest: read, skipped with a warning, or failed. */
type LinkedOutcome =
  | (Awaited<ReturnType<typeof fetchLinked>> & { excluded: ReadonlySet<string> })
  | Warning
  | undefined;

/** Reads the style sheets and manifests that scanned pages link, the directly linked ones first. */
async function readLinked(crawl: Crawl, keeper: CrawlStore): Promise<void> {
  const { scanId } = crawl;
  const { signal, services, settings } = crawl.context;
  const { siteCrawl } = services.database;
  const next = batched<SiteSource>((after) => siteCrawl.unreadSources(scanId, after?.seq ?? 0, BATCH));
  await processInOrder<SiteSource, LinkedOutcome>({
    atATime: MAX_CONCURRENT_DOCUMENTS,
    signal,
    next: async () => (crawl.bytesLeft > 0 ? await next() : undefined),
    work: async ({ kind, url }, either) => {
      if (!settings.external_assets && keeper.site.isExternal(url)) return 'external_skipped';
      const fetched = await fetchLinked(crawl, kind as 'stylesheet' | 'manifest', url, either).catch((error) => {
        failureOfDocument(error, either);
        return error instanceof RobotsForbidden ? ('robots_blocked' as const) : undefined;
      });
      if (typeof fetched !== 'object') return fetched;
      return { ...fetched, excluded: await keeper.excludedImages(fetched.reading.references) };
    },
    keep: async (source, outcome) => {
      await crawl.keep(endedStep(source.url), 0, async (repositories, warn) => {
        if (typeof outcome === 'string') warn(outcome);
        if (typeof outcome !== 'object') return await repositories.siteCrawl.failSource(scanId, source.seq);
        const { references, inlineImages, stylesheets, truncated, sizing: own } = outcome.reading;
        const goesOn = (await repositories.siteCrawl.levelOf(scanId, source.seq)) < MAX_LEVEL;
        const linked = goesOn ? stylesheets.map((url) => ({ kind: 'stylesheet' as const, url })) : [];
        // Style sheets imported beyond the limit could contain any sizes.
        const sizing = goesOn || stylesheets.length === 0 ? own : null;
        const { kind, url } = source;
        const { excluded } = outcome;
        await keeper.source(
          repositories,
          { kind, url, pageSeq: null, references, excluded, inlineImages, truncated, sizing, linked },
          warn,
        );
      });
      return true;
    },
  });
  const [left] = await siteCrawl.unreadSources(scanId, 0, 1);
  if (left) await crawl.keep(NO_STEP, 0, async (_, warn) => warn('over_limit'));
}
