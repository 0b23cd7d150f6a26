/** A website of an account, with its scans. */
export interface SiteProject {
  id: string;
  accountId: string;
  /** The domain of its scans: the host, with its port unless it is the scheme's default. */
  domain: string;
  name: string | null;
  createdAt: string;
}

export const SCAN_STATUSES = [
  'queued',
  'discovering',
  'review',
  'scanning',
  'ready',
  'optimizing',
  'packaging',
  'done',
  'failed',
  'cancelled',
] as const;

export type ScanStatus = (typeof SCAN_STATUSES)[number];

export const SCAN_SOURCES = ['url', 'sitemap', 'list'] as const;

export type ScanSource = (typeof SCAN_SOURCES)[number];

export interface SiteScan {
  /** `scan_...`, or `opt_...` for POST /sites/optimize. */
  id: string;
  accountId: string;
  keyId: string;
  /** null for POST /sites/optimize, whose runs belong to no project. */
  projectId: string | null;
  name: string | null;
  domain: string;
  source: ScanSource;
  url: string | null;
  status: ScanStatus;
  /** The phase in which it failed or was cancelled, where `retry` continues. */
  stoppedIn: ScanStatus | null;
  /** 0 or 1, like the other flags below. */
  review: number;
  optimize: 'auto' | 'manual';
  /** The package that pages are charged to. */
  packageId: string | null;
  package: string | null;
  /** JSON of complete SiteScanSettings. */
  settings: string;
  maxPages: number | null;
  pagesAllowed: number;
  assetsAllowed: number;
  bytesAllowed: number;
  /** Bytes that this scan has received over the network. */
  bytesFetched: number;
  /** The origin that the start address led to; null until then. */
  origin: string | null;
  progressDone: number;
  progressTotal: number | null;
  progressUrl: string | null;
  /** When the present phase began. The remaining time is estimated from it. */
  phaseStartedAt: string | null;
  /** How many times the present phase was started since its last progress. */
  attempts: number;
  /** JSON of `totals` (docs/spec/shapes.md, section 17.3). */
  totals: string | null;
  /** JSON array. */
  warnings: string;
  /** JSON of `changes`. */
  changes: string | null;
  previousScanId: string | null;
  requestsCharged: number;
  packagePagesCharged: number;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** The time from which its files are no longer available. The files have no expiry time of their own. */
  expiresAt: string | null;
  /** When the files were released after their expiry. */
  releasedAt: string | null;
  /** When the scan was deleted. From then on it is not found; its rows and files are removed step by step. */
  deletedAt: string | null;
}

/** A chunk of the list of addresses, stored until its addresses have become pages. */
export interface SiteScanListPart {
  scanId: string;
  /** Position of the chunk, from 0. */
  part: number;
  /** One address per line. */
  addresses: string;
}
