export const PAGE_STATUSES = ['found', 'queued', 'scanning', 'scanned', 'failed', 'skipped'] as const;

export type PageStatus = (typeof PAGE_STATUSES)[number];

export const PAGE_SKIP_REASONS = [
  'robots',
  'duplicate',
  'not_html',
  'off_domain',
  'redirected',
  'excluded',
  'not_selected',
] as const;

export type PageSkipReason = (typeof PAGE_SKIP_REASONS)[number];

export interface SitePage {
  scanId: string;
  /** From 1, in the order of discovery. */
  seq: number;
  /** Normalized address, unique within a scan. */
  url: string;
  finalUrl: string | null;
  canonicalUrl: string | null;
  status: PageStatus;
  skipReason: PageSkipReason | null;
  selected: number;
  overLimit: number;
  httpStatus: number | null;
  title: string | null;
  depth: number;
  foundBy: 'start' | 'sitemap' | 'link' | 'list';
  htmlBytes: number | null;
  etag: string | null;
  lastModified: string | null;
  /** Its document has been read: links and references are known, even before the page counts as scanned. */
  isRead: number;
  needsJavascript: number;
  /** The names of its elements as 32-bit numbers; null when unknown. */
  names: Uint8Array | null;
  /** A page of a package has been charged for it. */
  isCharged: number;
  /** The following columns are computed at the end of a phase (docs/spec/shapes.md, section 16.6). */
  assets: number;
  references: number;
  imageRequests: number;
  imageBytes: number;
  bytesSaved: number;
  heaviestAssetSeq: number | null;
  /** JSON object from finding codes to counts. */
  issues: string;
  /** JSON array. */
  attention: string;
  optimization: 'none' | 'partial' | 'complete' | 'not_needed';
  errorCode: string | null;
  errorMessage: string | null;
  fetchedAt: string | null;
}
