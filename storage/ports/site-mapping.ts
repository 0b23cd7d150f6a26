import type { SiteAsset } from '../records/site-assets.ts';
import type { SiteOutput } from '../records/site-outputs.ts';
import type { ReferenceFault } from '../records/site-reference-faults.ts';

/** A mapped asset. */
export type MappedAsset = Pick<
  SiteAsset,
  | 'seq'
  | 'url'
  | 'sha256'
  | 'bytes'
  | 'format'
  | 'width'
  | 'height'
  | 'approval'
  | 'roles'
  | 'pages'
  | 'references'
  | 'duplicateOf'
>;

export type MappedOutput = Pick<
  SiteOutput,
  'assetSeq' | 'id' | 'kind' | 'format' | 'bytes' | 'width' | 'height' | 'similarity' | 'sha256' | 'fileId'
>;

/** An image in a place whose markup can be repaired. `references` counts all references of the scan. */
export interface FaultyAsset {
  seq: number;
  url: string;
  sha256: string | null;
  bytes: number | null;
  references: number;
}

/** An `img` of a scanned page that shows such an image by its `src`. */
export interface MarkupPlaceRow {
  assetSeq: number;
  raw: string;
  page: string;
  line: number;
  column: number;
  /** 1 for one of the first images of its page, or one that the page preloads. */
  isFirst: number;
  /** A bit set, as read by `faultsIn`. */
  faults: number;
}

/** A range of lower-case addresses from `low` up to but excluding `high`, without known assets. */
export interface AddressRange {
  key: number;
  low: string;
  high: string;
  /** The asset to exclude. */
  seq: number;
  /** Excludes all assets with the same content as this asset too; 0 excludes none. */
  content: number;
}

/** An asset whose address is in a range. */
export interface Neighbour {
  key: number;
  seq: number;
  /** Number of the first asset with the same content. */
  content: number;
  url: string;
}

/** Maximum number of neighbours read per range. */
export const MAX_NEIGHBOURS = 8;

/** Reads the data from which the replacement map is made. */
export interface SiteMapping {
  count(scanId: string): Promise<number>;
  /** At most `limit` mapped assets whose numbers are above `after`. */
  batch(scanId: string, after: number, limit: number): Promise<MappedAsset[]>;
  /** The number of the mapped asset at an offset; undefined beyond the end. */
  seqAt(scanId: string, offset: number): Promise<number | undefined>;
  /** Addresses of assets, by number. */
  urls(scanId: string, seqs: readonly number[]): Promise<Map<number, string>>;
  /** For each asset, the chosen output, those listed beside it in the map, and the variants by width, in this order. */
  outputs(scanId: string, seqs: readonly number[]): Promise<MappedOutput[]>;
  /** The different spellings of assets in the sources: the first `most` of each, in order of discovery. */
  spellings(scanId: string, seqs: readonly number[], most: number): Promise<{ assetSeq: number; raw: string }[]>;
  /** For each asset, the first `most` scanned pages that use it directly. */
  ownPages(scanId: string, seqs: readonly number[], most: number): Promise<{ assetSeq: number; page: number }[]>;
  /** Sources other than pages that use the assets. */
  sharedSources(scanId: string, seqs: readonly number[]): Promise<{ assetSeq: number; sourceSeq: number }[]>;
  /** The first `most` scanned pages that lead to a source. */
  pagesLeadingTo(scanId: string, sourceSeq: number, most: number): Promise<number[]>;
  /** Addresses of the next `limit` scanned pages after a number. */
  scannedPages(scanId: string, after: number, limit: number): Promise<{ seq: number; url: string }[]>;
  /** The next `limit` assets after a number that have a finding with one of these codes, except data URIs. */
  faultyAssets(scanId: string, codes: readonly ReferenceFault[], after: number, limit: number): Promise<FaultyAsset[]>;
  /**
   * Places of assets in scanned pages. Places with the same faults and the same `isFirst` are limited to the first
   * `most`, by page.
   */
  markupPlaces(scanId: string, seqs: readonly number[], most: number): Promise<MarkupPlaceRow[]>;
  /** Addresses of pages, by number. */
  pageUrls(scanId: string, seqs: readonly number[]): Promise<Map<number, string>>;
  /**
   * The assets of a scan, mapped or not, whose addresses are in ranges, ignoring case. Only the first few of each
   * range, by number.
   */
  neighbours(scanId: string, ranges: readonly AddressRange[]): Promise<Neighbour[]>;
}
