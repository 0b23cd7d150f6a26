import type { Generated } from 'kysely';

/**
 * The tables as Kysely sees them; columns are snake_case in the database. Only types that SQLite and PostgreSQL share:
 * times are text in UTC with milliseconds (`2026-11-21T05:20:00.000Z`), which sorts as it reads and is what the
 * interface shows; truth values are 0 and 1; lists are JSON text.
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
  /** JSON: ids of keys. */
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

/** Credits that a subject (an account or a key) has used and holds in reserve in a period: a month or a day. */
export interface MeterTable {
  subject: string;
  period: string;
  requests: Generated<number>;
  ai: Generated<number>;
  reservedRequests: Generated<number>;
  reservedAi: Generated<number>;
}

/** What an account did in a month, by operation. */
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
  /** When the threshold was passed. */
  used: number;
  limit: number;
  createdAt: string;
  attempts: Generated<number>;
  nextAttemptAt: string;
  sentAt: string | null;
  channel: 'email' | 'log' | null;
}

/** A bought pool of pages for website scans. */
export interface PackageTable {
  id: string;
  accountId: string;
  package: string;
  pagesTotal: number;
  pagesLeft: number;
  boughtAt: string;
  expiresAt: string | null;
}

/** Requests in the running minute. `endsAt` in milliseconds: it is computed with, never shown. */
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
  /** Of the first version. */
  createdAt: string;
  /** Of this version. */
  updatedAt: string;
}

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface JobTable {
  id: string;
  accountId: string;
  keyId: string;
  status: JobStatus;
  /** Both null for a pipeline that was sent with the job; a template has a name and no version. */
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
  /** When one of its items was last taken up. */
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
  /** Name that an upload came with. */
  filename: string | null;
  /** How often a worker has started it. A proper stop of the service takes its attempts back. */
  attempts: Generated<number>;
  /** How often it was leased. */
  leases: Generated<number>;
  /** Whoever works on it has until then; null when nobody does. */
  leaseUntil: string | null;
  /** Not before this; null at once. */
  nextAttemptAt: string | null;
  fileId: string | null;
  /** JSON of what the record says of a finished item. */
  result: string | null;
  originalBytes: number | null;
  bytes: number | null;
  /** Charged. */
  requests: Generated<number>;
  ai: Generated<number>;
  errorCode: string | null;
  errorMessage: string | null;
  finishedAt: string | null;
}

/** A request that is not to be done twice. */
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
  /** `webhook-id` of every attempt. */
  id: string;
  accountId: string;
  /** null for a test. */
  jobId: string | null;
  url: string;
  /** What is signed and sent, the same at every attempt. */
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

/** A website of an account: its scans follow one another. */
export interface SiteProjectTable {
  id: string;
  accountId: string;
  /** Of the scans: the host, with its port where that is not the scheme's own. */
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
  /** `scan_...`, or `opt_...` of POST /sites/optimize. */
  id: string;
  accountId: string;
  keyId: string;
  /** null for POST /sites/optimize, which is kept apart from projects. */
  projectId: string | null;
  name: string | null;
  domain: string;
  source: ScanSource;
  url: string | null;
  status: ScanStatus;
  /** The phase in which it failed or was cancelled: `retry` goes on there. */
  stoppedIn: ScanStatus | null;
  /** 0 or 1, here and in all that follows of this type. */
  review: number;
  optimize: 'auto' | 'manual';
  /** The pool that pages are charged to. */
  packageId: string | null;
  package: string | null;
  /** JSON of complete SiteScanSettings. */
  settings: string;
  maxPages: number | null;
  pagesAllowed: number;
  assetsAllowed: number;
  bytesAllowed: number;
  /** Over the network, by this scan. */
  bytesFetched: Generated<number>;
  /** Scheme, host and port that the start address led to; null until then. */
  origin: string | null;
  progressDone: Generated<number>;
  progressTotal: number | null;
  progressUrl: string | null;
  /** When the present phase began: what remains is estimated from it. */
  phaseStartedAt: string | null;
  /** How often the present phase was begun since it last came further. */
  attempts: Generated<number>;
  /** JSON of `totals` (spec/shapes.md, section 17.3). */
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
  /** From then on its files are gone. They have no end of their own. */
  expiresAt: string | null;
  /** When they were let go, after that. */
  releasedAt: string | null;
  /** From then on nobody finds it; its rows and files go by and by. */
  deletedAt: string | null;
}

/** A part of the list of addresses, until they have become pages. */
export interface SiteScanListPartTable {
  scanId: string;
  /** In their order, from 0. */
  part: number;
  /** One per line. */
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
  /** Normalised; one page of a scan for each. */
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
  /** Its source has been read: links and references are known, also before the page counts as scanned. */
  isRead: Generated<number>;
  needsJavascript: Generated<number>;
  /** What its elements are called: 32-bit numbers; null where that is not known. */
  names: Uint8Array | null;
  /** A page of a package has been charged for it. */
  isCharged: Generated<number>;
  /** What follows is computed when a phase ends (spec/shapes.md, section 16.6). */
  assets: Generated<number>;
  references: Generated<number>;
  imageRequests: Generated<number>;
  imageBytes: Generated<number>;
  bytesSaved: Generated<number>;
  heaviestAssetSeq: number | null;
  /** JSON, code to count. */
  issues: Generated<string>;
  /** JSON array. */
  attention: Generated<string>;
  optimization: Generated<'none' | 'partial' | 'complete' | 'not_needed'>;
  errorCode: string | null;
  errorMessage: string | null;
  fetchedAt: string | null;
}

/** A document with references: fetched and read once per scan, whoever leads to it. */
export interface SiteSourceTable {
  scanId: string;
  seq: number;
  kind: 'page' | 'stylesheet' | 'manifest' | 'svg' | 'sitemap';
  /** One source of a scan for each. */
  url: string;
  /** Of a page. */
  pageSeq: number | null;
  status: 'found' | 'read' | 'failed';
  /** JSON; null where it is not known what it says of the sizes of images. */
  sizing: string | null;
}

/** A page that links a style sheet, a style sheet that imports one, a page that an image sitemap names. */
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
  /** Of one that belongs to a page alone, in a source that is no page (an image sitemap). */
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
  /** JSON, alternatives of numbers of names: on other pages a browser does not load it. */
  needed: string | null;
  /** Number of the element that shows it among those of its source. */
  element: number | null;
  /** 1 where no style sheet of its page can show it larger than `displayedWidth` and `displayedHeight` say. */
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
  /** Normalised; one asset of a scan for each. */
  url: string;
  finalUrl: string | null;
  kind: AssetKind;
  status: AssetStatus;
  skipReason: AssetSkipReason | null;
  approval: Approval;
  mapped: Generated<number>;
  /** Asked to be converted by what goes on now. */
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
  /** The host sends WebP or AVIF to those who accept it. */
  negotiated: Generated<number>;
  /** JSON of what else the inspection found that findings are made from. */
  facts: string | null;
  /** The asset with the same content and the lowest number. */
  duplicateOf: number | null;
  /** Computed when a phase ends, as what follows. */
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
  /** JSON of what was asked for when its content was last converted: the same again is not done, nor charged. */
  conversion: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** A result of converting an asset. */
export interface SiteOutputTable {
  scanId: string;
  assetSeq: number;
  /** `o1`, `w800`, `c2`. */
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
  /** JSON array of numbers of references, the first 100. */
  references: Generated<string>;
  /** JSON object. */
  data: Generated<string>;
}

/** A file of the package of a scan, and the package itself. */
export interface SiteDownloadTable {
  scanId: string;
  /** As in the path, such as `mapping.json`. */
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

/** A moment as the tables hold it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
