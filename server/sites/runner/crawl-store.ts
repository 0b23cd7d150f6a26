/** Stores what documents contain: pages, sources, references and assets, each with its number. */

import { timestamp } from '../../../base/timestamp.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { NewSiteAsset, QueuedPage } from '../../../storage/ports/site-crawl.ts';
import type { SitePage } from '../../../storage/records/site-pages.ts';
import type { SiteReference, SiteSource } from '../../../storage/records/site-sources.ts';
import type { DocumentReading, ImageReference } from '../../../web-documents/reading.ts';
import { matchedBy } from '../patterns.ts';
import { siteHosts } from '../site-hosts.ts';
import type { Crawl, Warn } from './crawl.ts';
import type { PageOutcome } from './documents.ts';
import type { Candidate, PageList, PreparedCandidates } from './page-list.ts';
import type { Site } from './site.ts';

/** Maximum number of images listed in a scan, whether fetched or not. */
const MAX_ASSETS = 100_000;
/** Maximum number of places in one document: a page of 10 MB could contain many more. */
const MAX_REFERENCES = 20_000;
/** Maximum number of links followed per page. */
const MAX_LINKS = 10_000;
/** Maximum number of documents that one document may name: style sheets of a page, sitemaps of an index. */
const MAX_LINKED_DOCUMENTS = 500;
/** Maximum depth of style sheet imports and of nested sitemaps (docs/spec/shapes.md, sections 16.1 and 16.2). */
export const MAX_LEVEL = 3;

interface SourceReading {
  kind: SiteSource['kind'];
  url: string;
  pageSeq: number | null;
  /** In an image sitemap, each with the page that it belongs to. */
  references: readonly (ImageReference & { pageSeq?: number })[];
  excluded: ReadonlySet<string>;
  inlineImages?: DocumentReading['inlineImages'];
  /** For a page or a style sheet, as in `DocumentReading`. */
  sizing?: string | null;
  /** The document contains more than was read. */
  truncated: boolean;
  linked: readonly { kind: SiteSource['kind']; url: string }[];
}

export interface PageStoreOptions {
  /** Present while pages are listed. */
  list?: PageList;
  /** The excluded images of a page that was read. */
  excluded?: ReadonlySet<string>;
  /** Links to add to the list. */
  links?: PreparedCandidates;
  /** The status of the page that replaces a skipped one. */
  next: 'found' | 'queued';
  /** Returns further changes for a page that was read and is not skipped. */
  read: (repositories: Repositories) => Promise<Partial<SitePage>>;
  warn: Warn;
}

/** Stores readings for one phase of a scan. */
export class CrawlStore {
  readonly #crawl: Crawl;
  readonly site: Site;
  readonly #isOwn: (url: string) => boolean;

  constructor(crawl: Crawl, site: Site) {
    const { scan, settings } = crawl.context;
    this.#crawl = crawl;
    this.site = site;
    this.#isOwn = siteHosts({ ...scan, origin: site.origin }, settings);
  }

  /** Stores the result of a page. */
  async page(
    repositories: Repositories,
    page: QueuedPage,
    outcome: PageOutcome,
    keeping: PageStoreOptions,
  ): Promise<void> {
    const { siteCrawl } = repositories;
    const { scanId } = this.#crawl;
    const { list, links, excluded = new Set(), read, warn } = keeping;
    const { fetched } = outcome;
    const changes: Partial<SitePage> = {
      ...(fetched && { httpStatus: fetched.status, finalUrl: fetched.finalUrl }),
      fetchedAt: timestamp(this.#crawl.context.services.now()),
      attention: '[]',
      errorCode: null,
      errorMessage: null,
    };
    if (outcome.type === 'failed') {
      const { code, message } = outcome.failure;
      await siteCrawl.changePage(scanId, page.seq, {
        ...changes,
        status: 'failed',
        errorCode: code,
        errorMessage: message,
      });
      return;
    }
    if (outcome.type === 'skipped') {
      if (outcome.reason === 'robots') warn('robots_blocked');
      return await this.#skipPage(repositories, page, { ...changes, skipReason: outcome.reason }, keeping);
    }
    const { reading } = outcome;
    const facts = reading.page!;
    const { finalUrl, bytes, etag, lastModified } = outcome.fetched;
    Object.assign(changes, {
      canonicalUrl: facts.canonicalUrl,
      title: facts.title,
      htmlBytes: bytes,
      etag: etag ?? null,
      lastModified: lastModified ?? null,
      needsJavascript: facts.needsJavaScript ? 1 : 0,
      names: facts.names ? new Uint8Array(Uint32Array.from(facts.names).buffer) : null,
    });
    if (facts.needsJavaScript) warn('needs_javascript');
    if (outcome.notRendered) warn('not_rendered');
    if (links) await list?.add(repositories, links, warn);
    const url = this.site.page(finalUrl) ?? page.url;
    const skipReason = await this.#samePage(repositories, page, url, facts.canonicalUrl);
    if (skipReason) return await this.#skipPage(repositories, page, { ...changes, skipReason }, keeping);
    const { references, inlineImages, stylesheets, truncated, sizing } = reading;
    const linked = stylesheets.map((address) => ({ kind: 'stylesheet' as const, url: address }));
    const source = {
      kind: 'page' as const,
      url,
      pageSeq: page.seq,
      references,
      excluded,
      inlineImages,
      truncated,
      sizing,
      linked: facts.manifestUrl === null ? linked : [...linked, { kind: 'manifest' as const, url: facts.manifestUrl }],
    };
    await this.source(repositories, source, warn);
    await siteCrawl.changePage(scanId, page.seq, { ...changes, isRead: 1, ...(await read(repositories)) });
  }

  /**
   * Skips a page that was fetched and gives its place to the first page over the limit. Limited to the number of
   * allowed pages: otherwise a website could lead the scan on for ever.
   */
  async #skipPage(
    { siteCrawl }: Repositories,
    { seq }: QueuedPage,
    changes: Partial<SitePage>,
    { list, next }: PageStoreOptions,
  ): Promise<void> {
    const { scan } = this.#crawl.context;
    const leftOut = await siteCrawl.countLeftOut(scan.id);
    await siteCrawl.changePage(scan.id, seq, { ...changes, status: 'skipped', selected: 0 });
    // In a reviewed scan, the owner has chosen the pages.
    if (leftOut >= scan.pagesAllowed || (next === 'queued' && scan.review === 1)) return;
    if (!(await siteCrawl.selectNext(scan.id, next))) list?.giveBack();
  }

  /** The links of a page, as candidates for the list. */
  links(page: Pick<QueuedPage, 'depth'>, { page: facts, references }: DocumentReading): Candidate[] {
    const depth = page.depth + 1;
    if (depth > this.#crawl.context.settings.max_depth) return [];
    const images = new Set(references.map(({ url }) => url));
    return facts!.links
      .filter((url) => !images.has(url))
      .slice(0, MAX_LINKS)
      .map((url) => ({ url, depth, foundBy: 'link' }));
  }

  /** The images that the owner excludes. Called before the transaction, because other transactions wait for it. */
  async excludedImages(references: readonly ImageReference[]): Promise<ReadonlySet<string>> {
    const { asset_exclude: patterns } = this.#crawl.context.settings;
    const urls = [...new Set(references.slice(0, MAX_REFERENCES).map(({ url }) => url))];
    const lists = [{ patterns, param: 'asset_exclude' }];
    const [excluded] = await matchedBy(lists, urls, this.#crawl.matchPaths);
    return excluded!;
  }

  /** The reason to skip a page whose content another page of the list has. */
  async #samePage(
    { siteCrawl }: Repositories,
    page: QueuedPage,
    url: string,
    canonicalUrl: string | null,
  ): Promise<'redirected' | 'duplicate' | undefined> {
    const { scanId } = this.#crawl;
    if (url !== page.url && (await siteCrawl.knownPages(scanId, [url])).length > 0) return 'redirected';
    const [source] = await siteCrawl.knownSources(scanId, [url]);
    if (source?.kind === 'page' && source.pageSeq !== page.seq) return 'duplicate';
    const canonical = canonicalUrl === null ? undefined : this.site.page(canonicalUrl);
    if (canonical === undefined || canonical === page.url || canonical === url) return undefined;
    const [other] = await siteCrawl.knownPages(scanId, [canonical]);
    const isLooked = other?.selected === 1 && other.status !== 'skipped' && other.status !== 'failed';
    return isLooked ? 'duplicate' : undefined;
  }

  /** Stores a source that was read, with everything that it names. */
  async source({ siteCrawl }: Repositories, reading: SourceReading, warn: Warn): Promise<void> {
    const { scanId } = this.#crawl;
    const { kind, url, pageSeq, inlineImages = [] } = reading;
    // Omitted style sheets could contain any sizes.
    const sizing = reading.linked.length > MAX_LINKED_DOCUMENTS ? null : (reading.sizing ?? null);
    const last = await siteCrawl.lastSeqs(scanId);
    const own = { scanId, seq: last.source + 1, kind, url, pageSeq, status: 'read' as const, sizing };
    const sourceSeq = await siteCrawl.readSource(own);
    await this.#linked(siteCrawl, sourceSeq, Math.max(last.source, sourceSeq), reading.linked, warn);

    const references = reading.references.slice(0, MAX_REFERENCES);
    if (reading.truncated || references.length < reading.references.length) warn('assets_truncated');
    const urls = [...new Set(references.map((reference) => reference.url))];
    const seqs = await siteCrawl.knownAssets(scanId, urls);
    const inline = new Map(inlineImages.map((image) => [image.url, image]));
    const fresh: NewSiteAsset[] = [];
    for (const address of urls) {
      if (seqs.has(address)) continue;
      const seq = last.asset + fresh.length + 1;
      if (seq > MAX_ASSETS) {
        warn('assets_truncated');
        break;
      }
      seqs.set(address, seq);
      const image = inline.get(address);
      fresh.push({
        scanId,
        seq,
        url: address,
        approval: 'auto',
        ...(image ? ofInline(image) : this.#ofLinked(address, reading.excluded.has(address))),
      });
    }
    if (fresh.some(({ external, status }) => external === 1 && status === 'skipped')) warn('external_skipped');
    await siteCrawl.insertAssets(fresh);
    const found = fresh.filter(({ status }) => status === 'found').length;
    if (this.#crawl.total !== null) this.#crawl.total += found;
    const kept = references.filter((reference) => seqs.has(reference.url));
    await siteCrawl.insertReferences(
      kept.map((reference, index) => ({
        ...rowOf(reference),
        scanId,
        seq: last.reference + index + 1,
        sourceSeq,
        pageSeq: reference.pageSeq ?? null,
        assetSeq: seqs.get(reference.url)!,
      })),
    );
  }

  async #linked(
    siteCrawl: Repositories['siteCrawl'],
    fromSeq: number,
    lastSeq: number,
    linked: SourceReading['linked'],
    warn: Warn,
  ): Promise<void> {
    if (linked.length === 0) return;
    const { scanId } = this.#crawl;
    const first = linked.slice(0, MAX_LINKED_DOCUMENTS);
    if (first.length < linked.length) warn('assets_truncated');
    const urls = first.map(({ url }) => url);
    const seqs = new Map((await siteCrawl.knownSources(scanId, urls)).map(({ url, seq }) => [url, seq]));
    const fresh: SiteSource[] = [];
    for (const { kind, url } of first) {
      if (seqs.has(url)) continue;
      const seq = lastSeq + fresh.length + 1;
      seqs.set(url, seq);
      fresh.push({ scanId, seq, kind, url, pageSeq: null, status: 'found' });
    }
    await siteCrawl.insertSources(fresh);
    await siteCrawl.linkSources(scanId, fromSeq, [...new Set(seqs.values())]);
  }

  #ofLinked(url: string, isExcluded: boolean): Omit<NewSiteAsset, 'scanId' | 'seq' | 'url' | 'approval'> {
    const external = this.site.isExternal(url) ? 1 : 0;
    const unknown = { external, format: null, contentType: null, bytes: null, width: null, height: null, sha256: null };
    const skipReason = isExcluded ? 'excluded' : this.#skipReason(url, external === 1);
    if (skipReason === undefined) return { ...unknown, kind: 'unknown', status: 'found', skipReason: null };
    return { ...unknown, kind: 'unknown', status: 'skipped', skipReason };
  }

  #skipReason(url: string, isExternal: boolean): NewSiteAsset['skipReason'] | undefined {
    if (!isExternal || this.#crawl.context.settings.external_assets) return undefined;
    return this.#isOwn(url) ? 'excluded' : 'third_party';
  }
}

/** An image inside the document: there is nothing to fetch and nothing to replace. */
function ofInline(
  image: DocumentReading['inlineImages'][number],
): Omit<NewSiteAsset, 'scanId' | 'seq' | 'url' | 'approval'> {
  const { format, contentType, bytes, width, height, sha256 } = image;
  return {
    kind: 'data_uri',
    status: 'skipped',
    skipReason: 'excluded',
    external: 0,
    format,
    contentType,
    bytes,
    width,
    height,
    sha256,
  };
}

function rowOf(
  reference: ImageReference,
): Omit<SiteReference, 'scanId' | 'seq' | 'sourceSeq' | 'pageSeq' | 'assetSeq'> {
  const { url: _, inNoscript, lacksDimensions, lacksAlt, lazy, preloaded, needed, ...same } = reference;
  return {
    ...same,
    inNoscript: Number(inNoscript),
    lacksDimensions: Number(lacksDimensions),
    lacksAlt: Number(lacksAlt),
    lazy: Number(lazy),
    preloaded: Number(preloaded),
    needed: needed ? JSON.stringify(needed) : null,
  };
}
