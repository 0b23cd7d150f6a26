import type { Generated } from 'kysely';

/**
 * The tables for Kysely; columns are snake_case in the database. Uses only types that SQLite and PostgreSQL share.
 * Times are text in UTC with milliseconds (`2026-11-21T05:20:00.000Z`), which sorts correctly and is the format of the
 * API. Booleans are 0 and 1. Lists are JSON text.
 */
export interface AccountTable {
  id: string;
  name: string;
  email: string | null;
  plan: string;
  disabled: number;
  createdAt: string;
}

export interface KeyTable {
  id: string;
  accountId: string;
  name: string;
  mode: 'live' | 'test';
  prefix: string;
  hash: string;
  scopes: string;
  /** JSON array of key ids. */
  limitedBy: Generated<string>;
  monthlyLimit: number | null;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface FileTable {
  id: string;
  accountId: string;
  filename: string;
  contentType: string;
  format: string;
  width: number | null;
  height: number | null;
  bytes: number;
  sha256: string;
  createdAt: string;
  expiresAt: string;
  removedAt: string | null;
}

/** Credits that a subject (an account or a key) has used and reserved in a period: a month or a day. */
export interface MeterTable {
  subject: string;
  period: string;
  requests: Generated<number>;
  ai: Generated<number>;
  reservedRequests: Generated<number>;
  reservedAi: Generated<number>;
}

/** The usage of an account in a month, by operation. */
export interface UsageTable {
  accountId: string;
  month: string;
  operation: string;
  requests: Generated<number>;
  ai: Generated<number>;
  bytesIn: Generated<number>;
  bytesOut: Generated<number>;
  failed: Generated<number>;
}

export interface NoticeTable {
  accountId: string;
  month: string;
  meter: 'requests' | 'ai';
  /** In percent of the limit. */
  threshold: number;
  /** The usage when the threshold was passed. */
  used: number;
  limit: number;
  createdAt: string;
  attempts: Generated<number>;
  nextAttemptAt: string;
  sentAt: string | null;
  channel: 'email' | 'log' | null;
}

/** A bought package of pages for website scans. */
export interface PackageTable {
  id: string;
  accountId: string;
  package: string;
  pagesTotal: number;
  pagesLeft: number;
  boughtAt: string;
  expiresAt: string | null;
}

/**
 * Requests in the current minute. `endsAt` is in milliseconds because it is used in calculations and never displayed.
 */
export interface RateWindowTable {
  subject: string;
  requests: number;
  endsAt: number;
}

/** One version of a saved pipeline. */
export interface PipelineTable {
  accountId: string;
  name: string;
  version: number;
  description: string | null;
  outputName: string | null;
  /** JSON, as it was sent. */
  steps: string;
  /** Creation time of the first version. */
  createdAt: string;
  /** Creation time of this version. */
  updatedAt: string;
}

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface JobTable {
  id: string;
  accountId: string;
  keyId: string;
  status: JobStatus;
  /** Both null for a pipeline that was sent with the job. A template has a name and no version. */
  pipelineName: string | null;
  pipelineVersion: number | null;
  outputName: string | null;
  /** JSON, as they were sent: a job keeps its own copy. */
  steps: string;
  webhookUrl: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: string;
  startedAt: string | null;
  /** When one of its items was last leased. */
  leasedAt: string | null;
  finishedAt: string | null;
}

export interface JobItemTable {
  jobId: string;
  /** From 0. */
  position: number;
  status: JobStatus;
  sourceKind: 'url' | 'file';
  /** The address, or the name of the private file. */
  source: string;
  /** The file name of an upload. */
  filename: string | null;
  /**
   * How many times a worker has started it. When the service is stopped properly, interrupted attempts are not counted.
   */
  attempts: Generated<number>;
  /** How many times it was leased. */
  leases: Generated<number>;
  /** When the lease ends; null when nobody works on it. */
  leaseUntil: string | null;
  /** It may not be leased before this time; null for at once. */
  nextAttemptAt: string | null;
  fileId: string | null;
  /** JSON of the record of a finished item. */
  result: string | null;
  originalBytes: number | null;
  bytes: number | null;
  /** Charged credits. */
  requests: Generated<number>;
  ai: Generated<number>;
  errorCode: string | null;
  errorMessage: string | null;
  finishedAt: string | null;
}

/** A request that must not be performed twice. */
export interface IdempotencyKeyTable {
  accountId: string;
  key: string;
  requestHash: string;
  jobId: string;
  createdAt: string;
}

export interface WebhookSecretTable {
  accountId: string;
  secret: string;
  createdAt: string;
  previousSecret: string | null;
  previousValidUntil: string | null;
}

export interface WebhookMessageTable {
  /** The `webhook-id` of every attempt. */
  id: string;
  accountId: string;
  /** null for a test. */
  jobId: string | null;
  url: string;
  /** The signed and sent body, the same for every attempt. */
  body: string;
  status: 'pending' | 'delivered' | 'failed' | 'stopped';
  attempts: Generated<number>;
  lastStatus: number | null;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
}

export interface WebhookDeliveryTable {
  messageId: string;
  /** From 1. */
  attempt: number;
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
}

/** A website of an account, with its scans. */
export interface SiteProjectTable {
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

export interface SiteScanTable {
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
  bytesFetched: Generated<number>;
  /** The origin that the start address led to; null until then. */
  origin: string | null;
  progressDone: Generated<number>;
  progressTotal: number | null;
  progressUrl: string | null;
  /** When the present phase began. The remaining time is estimated from it. */
  phaseStartedAt: string | null;
  /** How many times the present phase was started since its last progress. */
  attempts: Generated<number>;
  /** JSON of `totals` (docs/spec/shapes.md, section 17.3). */
  totals: string | null;
  /** JSON array. */
  warnings: Generated<string>;
  /** JSON of `changes`. */
  changes: string | null;
  previousScanId: string | null;
  requestsCharged: Generated<number>;
  packagePagesCharged: Generated<number>;
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
export interface SiteScanListPartTable {
  scanId: string;
  /** Position of the chunk, from 0. */
  part: number;
  /** One address per line. */
  addresses: string;
}

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

export interface SitePageTable {
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
  isRead: Generated<number>;
  needsJavascript: Generated<number>;
  /** The names of its elements as 32-bit numbers; null when unknown. */
  names: Uint8Array | null;
  /** A page of a package has been charged for it. */
  isCharged: Generated<number>;
  /** The following columns are computed at the end of a phase (docs/spec/shapes.md, section 16.6). */
  assets: Generated<number>;
  references: Generated<number>;
  imageRequests: Generated<number>;
  imageBytes: Generated<number>;
  bytesSaved: Generated<number>;
  heaviestAssetSeq: number | null;
  /** JSON object from finding codes to counts. */
  issues: Generated<string>;
  /** JSON array. */
  attention: Generated<string>;
  optimization: Generated<'none' | 'partial' | 'complete' | 'not_needed'>;
  errorCode: string | null;
  errorMessage: string | null;
  fetchedAt: string | null;
}

/** A document with references. It is fetched and read once per scan, however many documents link it. */
export interface SiteSourceTable {
  scanId: string;
  seq: number;
  kind: 'page' | 'stylesheet' | 'manifest' | 'svg' | 'sitemap';
  /** Unique within a scan. */
  url: string;
  /** The page, if the document is a page. */
  pageSeq: number | null;
  status: 'found' | 'read' | 'failed';
  /** The document's size rules for images, as JSON; null when unknown. */
  sizing: string | null;
}

/**
 * A link between documents: a page and a style sheet, a style sheet and one that it imports, a sitemap and one that it
 * names.
 */
export interface SiteSourceLinkTable {
  scanId: string;
  fromSeq: number;
  toSeq: number;
}

export interface SiteReferenceTable {
  scanId: string;
  /** From 1. */
  seq: number;
  sourceSeq: number;
  /** The page, for a reference in a shared document (an image sitemap) that belongs to a single page. */
  pageSeq: number | null;
  assetSeq: number;
  role: string;
  tag: string | null;
  attribute: string | null;
  raw: string;
  descriptor: string | null;
  media: string | null;
  sizes: string | null;
  type: string | null;
  alt: string | null;
  loading: string | null;
  declaredWidth: number | null;
  declaredHeight: number | null;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string;
  line: number;
  column: number;
  inNoscript: number;
  imageNumber: number | null;
  lacksDimensions: number;
  lacksAlt: number;
  lazy: number;
  preloaded: number;
  candidates: number;
  /** JSON, alternatives of element names as numbers. On pages that match none of them a browser does not load it. */
  needed: string | null;
  /** Number of the element that shows it, within its document. */
  element: number | null;
  /** 1 when no style sheet of its page can show it larger than `displayedWidth` and `displayedHeight`. */
  isSizeCertain: Generated<number>;
}

export const ASSET_KINDS = ['raster', 'animation', 'vector', 'icon', 'data_uri', 'unknown'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export const ASSET_STATUSES = ['found', 'fetching', 'ready', 'optimizing', 'optimized', 'skipped', 'failed'] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

export const ASSET_SKIP_REASONS = [
  'no_gain',
  'vector',
  'third_party',
  'excluded',
  'already_negotiated',
  'already_webp',
  'rejected',
  'over_limit',
] as const;
export type AssetSkipReason = (typeof ASSET_SKIP_REASONS)[number];

export const APPROVALS = ['auto', 'approved', 'rejected'] as const;
export type Approval = (typeof APPROVALS)[number];

export interface SiteAssetTable {
  scanId: string;
  /** From 1. */
  seq: number;
  /** Normalized address, unique within a scan. */
  url: string;
  finalUrl: string | null;
  kind: AssetKind;
  status: AssetStatus;
  skipReason: AssetSkipReason | null;
  approval: Approval;
  mapped: Generated<number>;
  /** Its conversion has been requested and not been done. */
  wanted: Generated<number>;
  format: string | null;
  contentType: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  frames: number | null;
  animated: Generated<number>;
  hasAlpha: Generated<number>;
  external: Generated<number>;
  sha256: string | null;
  fingerprint: string | null;
  httpStatus: number | null;
  redirects: Generated<number>;
  cacheControl: string | null;
  etag: string | null;
  lastModified: string | null;
  contentEncoding: string | null;
  /** The host sends WebP or AVIF to clients that accept it. */
  negotiated: Generated<number>;
  /** JSON of further results of the inspection, from which findings are made. */
  facts: string | null;
  /** The asset with the same content and the lowest number. */
  duplicateOf: number | null;
  /** This and the following columns are computed at the end of a phase. */
  pages: Generated<number>;
  references: Generated<number>;
  /** JSON array. */
  roles: Generated<string>;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string | null;
  /** Of the chosen output. */
  bytesSaved: Generated<number>;
  savedPercent: Generated<number>;
  /** Id of the chosen output. */
  chosen: string | null;
  /** JSON of the last conversion of its content. An identical conversion is neither repeated nor charged. */
  conversion: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** A result of converting an asset. */
export interface SiteOutputTable {
  scanId: string;
  assetSeq: number;
  /** Such as `o1`, `w800`, `c2`. */
  id: string;
  kind: 'optimized' | 'variant' | 'candidate';
  filename: string;
  format: string;
  bytes: number;
  width: number;
  height: number;
  quality: number | null;
  similarity: number | null;
  sha256: string;
  fileId: string;
}

export interface SiteFindingTable {
  scanId: string;
  assetSeq: number;
  code: string;
  severity: 'error' | 'warning' | 'notice' | 'info';
  message: string;
  savingsBytes: number | null;
  /** JSON array of the numbers of the first 100 references. */
  references: Generated<string>;
  /** JSON object. */
  data: Generated<string>;
}

/** A file of the package of a scan, or the package itself. */
export interface SiteDownloadTable {
  scanId: string;
  /** The name in the path, such as `mapping.json`. */
  name: string;
  contentType: string;
  fileId: string;
  bytes: number;
  sha256: string;
  builtAt: string;
}

export interface Tables {
  accounts: AccountTable;
  keys: KeyTable;
  files: FileTable;
  meters: MeterTable;
  usage: UsageTable;
  notices: NoticeTable;
  packages: PackageTable;
  rateWindows: RateWindowTable;
  pipelines: PipelineTable;
  jobs: JobTable;
  jobItems: JobItemTable;
  idempotencyKeys: IdempotencyKeyTable;
  webhookSecrets: WebhookSecretTable;
  webhookMessages: WebhookMessageTable;
  webhookDeliveries: WebhookDeliveryTable;
  siteProjects: SiteProjectTable;
  siteScans: SiteScanTable;
  siteScanListParts: SiteScanListPartTable;
  sitePages: SitePageTable;
  siteSources: SiteSourceTable;
  siteSourceLinks: SiteSourceLinkTable;
  siteReferences: SiteReferenceTable;
  siteAssets: SiteAssetTable;
  siteOutputs: SiteOutputTable;
  siteFindings: SiteFindingTable;
  siteDownloads: SiteDownloadTable;
}

/** Formats a time as stored in the tables. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
