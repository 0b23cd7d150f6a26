import type { AssetKind, AssetStatus, SiteAsset } from '../records/site-assets.ts';
import type { SiteDownload } from '../records/site-downloads.ts';
import type { SiteFinding } from '../records/site-findings.ts';
import type { SiteOutput } from '../records/site-outputs.ts';
import type { PageStatus, SitePage } from '../records/site-pages.ts';
import type { SiteReference } from '../records/site-sources.ts';

/** A reference with the document that contains it. */
export type PlacedReference = SiteReference & { sourceKind: string; sourceUrl: string };

/** The position of a reference. `pageSeq` is null in a document that belongs to several pages. */
export type ReferencePlace = Pick<
  PlacedReference,
  'seq' | 'pageSeq' | 'tag' | 'attribute' | 'raw' | 'line' | 'column' | 'sourceUrl'
>;

export interface Slice<S extends string> {
  sort: { by: S; descending: boolean };
  offset: number;
  limit: number;
}

export interface PageFilter {
  statuses?: readonly PageStatus[];
  overLimit?: boolean;
  /** Part of the address or the title; case is ignored. */
  text?: string;
  /** A code, or whether there is any. */
  attention?: string | boolean;
  optimization?: SitePage['optimization'];
  minSavings?: number;
}

export const PAGE_SORTS = ['seq', 'url', 'status', 'image_bytes', 'bytes_saved', 'saved_percent', 'assets'] as const;

export type PageSort = (typeof PAGE_SORTS)[number];

export interface AssetFilter {
  kinds?: readonly AssetKind[];
  statuses?: readonly AssetStatus[];
  /** Codes of findings, or whether there is any. */
  issues?: readonly string[] | boolean;
  /** Number of a page that uses it. */
  page?: number;
  /** Part of the address; case is ignored. */
  text?: string;
  minSavings?: number;
  mapped?: boolean;
}

export const ASSET_SORTS = [
  'bytes_saved',
  'seq',
  'url',
  'bytes',
  'saved_percent',
  'references',
  'pages',
  'width',
  'status',
] as const;

export type AssetSort = (typeof ASSET_SORTS)[number];

/** The results of a scan as its owner reads and changes them. */
export interface SiteInventory {
  pages(scanId: string, filter: PageFilter, slice: Slice<PageSort>): Promise<{ pages: SitePage[]; total: number }>;
  page(scanId: string, seq: number): Promise<SitePage | undefined>;
  assets(scanId: string, filter: AssetFilter, slice: Slice<AssetSort>): Promise<{ assets: SiteAsset[]; total: number }>;
  asset(scanId: string, seq: number): Promise<SiteAsset | undefined>;
  /** All assets that a page uses, ordered by number. */
  assetsOfPage(scanId: string, pageSeq: number): Promise<SiteAsset[]>;
  /**
   * The first references of a page: its own, those of all documents that it links, and those that belong to it in
   * shared documents.
   */
  referencesOfPage(scanId: string, pageSeq: number, limit: number): Promise<PlacedReference[]>;
  /** References by their numbers. */
  references(scanId: string, seqs: readonly number[]): Promise<PlacedReference[]>;
  /** The first reference of each asset that has one. */
  firstReferences(scanId: string, assetSeqs: readonly number[]): Promise<Map<number, PlacedReference>>;
  /** The first scanned pages that use an asset, with the number of uses. */
  pagesOfAsset(
    scanId: string,
    assetSeq: number,
    limit: number,
  ): Promise<{ seq: number; url: string; references: number }[]>;
  /** Findings of assets, ordered by asset and code. */
  findings(scanId: string, assetSeqs: readonly number[]): Promise<SiteFinding[]>;
  /** Positions of references, by their numbers. */
  referencePlaces(scanId: string, seqs: readonly number[]): Promise<ReferencePlace[]>;
  /** Results of assets, ordered by asset and id. */
  outputs(scanId: string, assetSeqs: readonly number[]): Promise<SiteOutput[]>;
  /** The downloads of several scans that have this name. */
  downloads(scanIds: readonly string[], name: string): Promise<SiteDownload[]>;
  /** Pages that can be ticked and that no pattern of the settings excludes, in order and in batches. */
  selectable(scanId: string): AsyncIterable<{ seq: number; url: string }[]>;
  /** Unticks all pages that have not been fetched. */
  untickAll(scanId: string): Promise<void>;
  /** Those of the given pages that can be ticked, in order. */
  selectableOf(scanId: string, seqs: readonly number[]): Promise<Pick<SitePage, 'seq' | 'selected'>[]>;
  /** Ticks or unticks pages. */
  tick(scanId: string, seqs: readonly number[], selected: boolean): Promise<void>;
  /** Marks pages that could not be ticked because the allowance was used up. */
  markOverLimit(scanId: string, seqs: readonly number[]): Promise<void>;
  countSelected(scanId: string): Promise<number>;
  /** Makes failed pages and assets available for another attempt. */
  retryFailed(scanId: string): Promise<void>;
  countOptimized(scanId: string): Promise<number>;
  /** Withdraws all conversions that have not been done. */
  unwantAll(scanId: string): Promise<void>;
  /**
   * Requests the conversion of all assets that can be converted.
   * @param again also those already converted or without gain, because the settings have changed
   */
  wantAll(scanId: string, again: boolean): Promise<void>;
  /**
   * Requests the conversion of assets, whether or not they have been converted before.
   * @returns the number of given assets that can be converted
   */
  want(scanId: string, seqs: readonly number[]): Promise<number>;
  /**
   * Requests the conversion of all assets that the pages use.
   * @returns the number of given pages that exist
   */
  wantOfPages(scanId: string, pageSeqs: readonly number[]): Promise<number>;
}
