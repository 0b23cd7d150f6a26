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

export interface SiteAsset {
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
  mapped: number;
  /** Its conversion has been requested and not been done. */
  wanted: number;
  format: string | null;
  contentType: string | null;
  bytes: number | null;
  width: number | null;
  height: number | null;
  frames: number | null;
  animated: number;
  hasAlpha: number;
  external: number;
  sha256: string | null;
  fingerprint: string | null;
  httpStatus: number | null;
  redirects: number;
  cacheControl: string | null;
  etag: string | null;
  lastModified: string | null;
  contentEncoding: string | null;
  /** The host sends WebP or AVIF to clients that accept it. */
  negotiated: number;
  /** JSON of further results of the inspection, from which findings are made. */
  facts: string | null;
  /** The asset with the same content and the lowest number. */
  duplicateOf: number | null;
  /** This and the following columns are computed at the end of a phase. */
  pages: number;
  references: number;
  /** JSON array. */
  roles: string;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string | null;
  /** Of the chosen output. */
  bytesSaved: number;
  savedPercent: number;
  /** Id of the chosen output. */
  chosen: string | null;
  /** JSON of the last conversion of its content. An identical conversion is neither repeated nor charged. */
  conversion: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}
