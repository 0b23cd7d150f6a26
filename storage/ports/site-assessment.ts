import type { SiteAsset } from '../records/site-assets.ts';
import type { SiteFinding } from '../records/site-findings.ts';
import type { SiteOutput } from '../records/site-outputs.ts';
import type { SitePage } from '../records/site-pages.ts';

export interface PageCounts {
  pagesFound: number;
  pagesSelected: number;
  pagesScanned: number;
  pagesFailed: number;
  pagesSkipped: number;
  pagesOverLimit: number;
  /** Summed over all scanned pages: images that several pages share are counted for each. */
  pageBytesSaved: number;
}

export interface AssetCounts {
  assets: number;
  /** Assets with different content. */
  assetsUnique: number;
  assetsOptimized: number;
  assetsMapped: number;
  assetsSkipped: number;
  assetsFailed: number;
  bytesOriginal: number;
  /** Of the mapped assets. */
  bytesSaved: number;
}

/** An asset with the data from which its findings are made. The output is the chosen one. */
export interface AssessedAsset extends SiteAsset {
  output: SiteOutput | null;
}

/** A place that names an asset. */
export interface AssetPlace {
  assetSeq: number;
  seq: number;
  sourceSeq: number;
  pageSeq: number | null;
  role: string;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string;
  /** Size of the asset. */
  width: number | null;
  height: number | null;
  candidates: number;
  isSizeCertain: number;
  /** See `faultsIn`. */
  faults: number;
}

/** The data of an asset that is needed to find the same image in another size. */
export interface AssetPrint {
  seq: number;
  fingerprint: string;
  width: number;
  height: number;
  sha256: string | null;
}

export type AssetSummary = Pick<
  SiteAsset,
  'seq' | 'references' | 'roles' | 'displayedWidth' | 'displayedHeight' | 'displayedSource'
>;

export type PageSummary = Pick<
  SitePage,
  | 'seq'
  | 'assets'
  | 'references'
  | 'imageRequests'
  | 'imageBytes'
  | 'bytesSaved'
  | 'heaviestAssetSeq'
  | 'issues'
  | 'attention'
  | 'optimization'
>;

/** A scanned page with its own document. */
export interface PageSource {
  pageSeq: number;
  needsJavascript: number;
  /** See SitePage. */
  names: Uint8Array | null;
  sourceSeq: number | null;
  /** JSON array of the numbers of the documents that it links. */
  linked: string;
}

/** The data of a place that is needed to sum up pages. */
export interface AssetUse {
  /** The page or document that contains it. */
  holder: number;
  assetSeq: number;
  /** For one of several candidates of an image: the number of that image. */
  imageNumber: number | null;
  /** Whether a browser loads it to show the page: 0 no, 1 always, 2 perhaps, as one of several candidates. */
  load: 0 | 1 | 2;
  /** Alternatives of element names. A page that matches none of them does not load it. */
  needed: readonly (readonly number[])[] | null;
  /** See `faultsIn`. */
  faults: number;
}

/** The data of an asset that is needed to sum up pages. */
export interface AssetWeight {
  seq: number;
  bytes: number;
  /** 0 for an asset that is not mapped. */
  bytesSaved: number;
  /** `replaced`: it has been replaced; `open`: it could still be replaced; `rest`: neither. */
  state: 'replaced' | 'open' | 'rest';
}

/** JSON arrays of numbers. */
export interface SharedParts {
  pages: string;
  sources: string;
}

export interface ScanDifference {
  /** Bytes of all assets of one scan. */
  bytes: number;
  assetsNew: number;
  assetsChanged: number;
  issuesNew: number;
}

/** Computes the totals and findings of a scan, and what follows from them for its pages and assets. */
export interface SiteAssessment {
  /** Counts pages in batches: counting 100,000 at once blocks the event loop for 50 ms. */
  pageCounts(scanId: string): Promise<PageCounts>;
  assetCounts(scanId: string): Promise<AssetCounts>;
  /** Number of places in sources that scanned pages lead to. Each place is counted once. */
  referenceCount(scanId: string): Promise<number>;
  /** Number of assets with each finding. */
  issues(scanId: string): Promise<Record<string, number>>;
  /**
   * Whether a scanned page needs scripts, whether pages or assets were over the limit, and whether there are
   * third-party assets.
   */
  concerns(scanId: string): Promise<{ needsJavascript: boolean; overLimit: boolean; thirdParty: boolean }>;
  /** Numbers of the sources that scanned pages lead to. */
  liveSources(scanId: string, otherId?: string): Promise<number[]>;
  /**
   * Numbers of the scanned pages.
   * @param otherId includes only pages that this scan has scanned as well
   */
  scannedPages(scanId: string, otherId?: string): Promise<number[]>;
  lastPage(scanId: string): Promise<number>;
  /** The next assets after a number, ordered by number. */
  assets(scanId: string, after: number, limit: number): Promise<AssessedAsset[]>;
  /**
   * Places of assets, ordered by asset and place, including those in sources of pages that were not scanned.
   * @param after the last place of the previous batch
   * @param lastAsset excludes places of assets with higher numbers
   */
  places(
    scanId: string,
    after: { assetSeq: number; seq: number },
    lastAsset: number,
    limit: number,
  ): Promise<AssetPlace[]>;
  /** The next assets with a fingerprint after a number, ordered by number. */
  prints(scanId: string, after: number, limit: number): Promise<AssetPrint[]>;
  /** Replaces the findings of a range of assets. Must be called in a transaction. */
  replaceFindings(scanId: string, first: number, last: number, findings: readonly SiteFinding[]): Promise<void>;
  setAssetSummary(scanId: string, summary: AssetSummary): Promise<void>;
  /** @param pages number of pages that use it */
  setAssetPages(scanId: string, seq: number, pages: number): Promise<void>;
  setPageSummary(scanId: string, summary: PageSummary): Promise<void>;
  /** Summarizes pages that were not scanned: they only need attention if they failed. */
  summarizeOtherPages(scanId: string): Promise<void>;
  /** The scanned pages in a range of numbers. */
  pageSources(scanId: string, first: number, last: number): Promise<PageSource[]>;
  /** Links and imports between documents other than pages. */
  sharedLinks(scanId: string): Promise<{ fromSeq: number; toSeq: number }[]>;
  /** Places in documents, except those that belong to a single page. */
  usesIn(scanId: string, sourceSeqs: readonly number[]): Promise<AssetUse[]>;
  /** Places in shared documents that belong to one page, for a range of pages. */
  usesOfPages(scanId: string, first: number, last: number): Promise<AssetUse[]>;
  /** The next assets after a number, ordered by number. */
  weights(scanId: string, after: number, limit: number): Promise<AssetWeight[]>;
  /** The findings of a range of assets, ordered by asset and code. */
  findingCodes(scanId: string, first: number, last: number): Promise<{ assetSeq: number; code: string }[]>;
  /**
   * Assets and findings of one scan, in a range of numbers, that the other scan does not have. They are compared by
   * address.
   * @param parts what to include: pages that both have scanned, and the sources that these lead to
   */
  difference(
    scanId: string,
    otherId: string,
    parts: SharedParts,
    range: { first: number; last: number },
  ): Promise<ScanDifference>;
  lastAsset(scanId: string): Promise<number>;
}
