import type { SiteAsset } from '../records/site-assets.ts';
import type { SitePage } from '../records/site-pages.ts';
import type { ScanStatus } from '../records/site-scans.ts';
import type { ReadSiteSource, SiteReference, SiteSource } from '../records/site-sources.ts';

export type NewSitePage = Pick<
  SitePage,
  'scanId' | 'seq' | 'url' | 'status' | 'skipReason' | 'selected' | 'overLimit' | 'depth' | 'foundBy'
>;

export type KnownPage = Pick<SitePage, 'seq' | 'url' | 'status' | 'selected'>;

export type NewSiteAsset = Pick<
  SiteAsset,
  | 'scanId'
  | 'seq'
  | 'url'
  | 'kind'
  | 'status'
  | 'skipReason'
  | 'approval'
  | 'external'
  | 'format'
  | 'contentType'
  | 'bytes'
  | 'width'
  | 'height'
  | 'sha256'
>;

/** The highest number of each kind; 0 when there is none. */
export interface LastSeqs {
  page: number;
  source: number;
  reference: number;
  asset: number;
}

/** A page that is to be fetched or has been fetched. */
export type QueuedPage = Pick<SitePage, 'seq' | 'url' | 'depth' | 'foundBy' | 'isRead' | 'isCharged'>;

export interface CrawlProgress {
  done: number;
  total: number | null;
  url: string | null;
  /** Bytes received over the network since the last report. */
  bytes: number;
  /** True when a step was completed that need not be repeated. An increase of `done` counts as progress too. */
  isEnd?: boolean;
}

export interface SiteCrawl {
  /**
   * Records the progress of a phase.
   * @returns total bytes received over the network; undefined when the scan is no longer in this phase, and nothing may
   * be stored
   */
  report(id: string, status: ScanStatus, progress: CrawlProgress): Promise<number | undefined>;
  warn(id: string, warning: string): Promise<void>;
  lastSeqs(scanId: string): Promise<LastSeqs>;
  /** Returns pages and assets that were in work when the scan or the process was stopped to their previous status. */
  putBack(scanId: string): Promise<void>;
  insertPages(pages: readonly NewSitePage[]): Promise<void>;
  knownPages(scanId: string, urls: readonly string[]): Promise<KnownPage[]>;
  /** For each path, given as an address without query, the number of pages with that path and a query, up to `most`. */
  queryVariants(scanId: string, paths: readonly string[], most: number): Promise<Map<string, number>>;
  changePage(scanId: string, seq: number, changes: Partial<SitePage>): Promise<void>;
  /** The next selected pages that have not been read, ordered by depth and number. */
  unreadPages(scanId: string, after: { depth: number; seq: number }, limit: number): Promise<QueuedPage[]>;
  /** The next queued pages, ordered by depth and number. */
  queuedPages(scanId: string, after: { depth: number; seq: number }, limit: number): Promise<QueuedPage[]>;
  /** The next pages that are selected or over the limit. */
  chosenPages(scanId: string, afterSeq: number, limit: number): Promise<Pick<SitePage, 'seq' | 'url'>[]>;
  /** Number of pages that were skipped after they had been fetched. */
  countLeftOut(scanId: string): Promise<number>;
  /** Selects the first page that is over the limit. @returns false when there is none */
  selectNext(scanId: string, status: SitePage['status']): Promise<boolean>;
  /** Queues selected pages that have not been scanned, and skips the others. */
  queueSelected(scanId: string): Promise<void>;
  /** Marks all queued pages as over the limit: nothing more may be fetched or charged. */
  leaveQueued(scanId: string): Promise<void>;
  countPages(scanId: string): Promise<{ selected: number; queued: number; ended: number }>;
  /**
   * Charges one page of a package for a page that has not been charged.
   * @returns false when the package has no pages left or has expired
   */
  chargePage(scanId: string, seq: number, packageId: string, now: string): Promise<boolean>;
  /** Records that a source was read, whether or not it was known. Deletes its earlier references. */
  readSource(source: ReadSiteSource): Promise<number>;
  knownSources(
    scanId: string,
    urls: readonly string[],
  ): Promise<Pick<SiteSource, 'seq' | 'url' | 'kind' | 'pageSeq'>[]>;
  insertSources(sources: readonly SiteSource[]): Promise<void>;
  linkSources(scanId: string, fromSeq: number, to: readonly number[]): Promise<void>;
  failSource(scanId: string, seq: number): Promise<void>;
  /** Makes failed style sheets and manifests available for another attempt. */
  retrySources(scanId: string): Promise<void>;
  /**
   * The level of a source: 0 for a page or a source that nothing links, 1 for what these link, and so on; at most 4.
   */
  levelOf(scanId: string, seq: number): Promise<number>;
  unreadSitemaps(scanId: string, afterSeq: number, limit: number): Promise<SiteSource[]>;
  /** Unread style sheets and manifests that a scanned page leads to. */
  unreadSources(scanId: string, afterSeq: number, limit: number): Promise<SiteSource[]>;
  countSources(scanId: string, kind: SiteSource['kind']): Promise<number>;
  /** Numbers of assets, by address. */
  knownAssets(scanId: string, urls: readonly string[]): Promise<Map<string, number>>;
  insertAssets(assets: readonly NewSiteAsset[]): Promise<void>;
  insertReferences(references: readonly SiteReference[]): Promise<void>;
  /** The image that a scan has found at an address, if its response allows a conditional request. */
  knownImage(scanId: string, url: string): Promise<SiteAsset | undefined>;
  changeAsset(scanId: string, seq: number, changes: Partial<SiteAsset>): Promise<void>;
  /** The next unfetched assets that a scanned page uses. */
  unfetchedAssets(scanId: string, afterSeq: number, limit: number): Promise<Pick<SiteAsset, 'seq' | 'url'>[]>;
  /** Skips assets that have not been fetched, as over the limit. */
  leaveUnfetched(scanId: string, seqs: readonly number[]): Promise<void>;
  /**
   * Number of assets to be fetched, and of those that were fetched, successfully or not, and need not be fetched again.
   */
  countAssets(scanId: string): Promise<{ found: number; ended: number }>;
  /** Whether another asset with a lower number has this content. */
  isDuplicate(scanId: string, seq: number, sha256: string): Promise<boolean>;
  /** Sets `duplicateOf` to the asset with the same content and the lowest number, among those that can be converted. */
  markDuplicates(scanId: string): Promise<void>;
  /** Addresses of assets whose host was found to negotiate formats. */
  negotiatedUrls(scanId: string): Promise<string[]>;
  /** Marks all images of an origin as negotiated. */
  markNegotiated(scanId: string, origin: string): Promise<void>;
}
