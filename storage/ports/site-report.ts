import type { SiteAsset } from '../records/site-assets.ts';
import type { SiteFinding } from '../records/site-findings.ts';
import type { SitePage } from '../records/site-pages.ts';

/** An asset as listed in the report, with its chosen output. */
export type ReportedAsset = Pick<
  SiteAsset,
  | 'seq'
  | 'url'
  | 'kind'
  | 'status'
  | 'skipReason'
  | 'format'
  | 'bytes'
  | 'width'
  | 'height'
  | 'bytesSaved'
  | 'savedPercent'
  | 'mapped'
  | 'approval'
  | 'pages'
  | 'references'
  | 'errorCode'
> & {
  toBytes: number | null;
  toFormat: string | null;
  toWidth: number | null;
  toHeight: number | null;
  similarity: number | null;
  fileId: string | null;
};

export type ReportedPage = Pick<SitePage, 'seq' | 'url' | 'title' | 'imageRequests' | 'imageBytes' | 'bytesSaved'>;

/** All findings with the same code. */
export interface ReportedFinding {
  code: string;
  severity: SiteFinding['severity'];
  assets: number;
  savingsBytes: number;
}

export interface FindingExample {
  code: string;
  url: string;
  message: string;
  savingsBytes: number | null;
}

/** Reads the data from which the reports of a scan are made. */
export interface SiteReport {
  /** At most `limit` assets whose numbers are above `after`. */
  batch(scanId: string, after: number, limit: number): Promise<ReportedAsset[]>;
  /** The mapped assets with the largest savings. */
  best(scanId: string, limit: number): Promise<ReportedAsset[]>;
  /** The scanned pages with the most image bytes. */
  heaviestPages(scanId: string, limit: number): Promise<ReportedPage[]>;
  findings(scanId: string): Promise<ReportedFinding[]>;
  /** The assets with the largest possible savings for a finding. */
  examples(scanId: string, code: string, limit: number): Promise<FindingExample[]>;
}
