import type { Generated, Simplify } from 'kysely';
import type { Account } from '../records/accounts.ts';
import type { DeliveredImage } from '../records/delivered-images.ts';
import type { FileRecord } from '../records/files.ts';
import type { IdempotentRequest, Job, JobItem } from '../records/jobs.ts';
import type { Key } from '../records/keys.ts';
import type { Meter, MeterId } from '../records/meters.ts';
import type { Notice } from '../records/notices.ts';
import type { Package } from '../records/packages.ts';
import type { PipelineVersion } from '../records/pipelines.ts';
import type { RateWindow } from '../records/rate-windows.ts';
import type { SiteAsset } from '../records/site-assets.ts';
import type { SiteDownload } from '../records/site-downloads.ts';
import type { SiteFinding } from '../records/site-findings.ts';
import type { SiteOutput } from '../records/site-outputs.ts';
import type { SitePage } from '../records/site-pages.ts';
import type { SiteProject, SiteScan, SiteScanListPart } from '../records/site-scans.ts';
import type { SiteReference, SiteSource, SiteSourceLink } from '../records/site-sources.ts';
import type { OperationUsage } from '../records/usage.ts';
import type { WebhookDelivery, WebhookMessage, WebhookSecret } from '../records/webhooks.ts';

/**
 * The rows of a table whose columns are the fields of a record.
 * @template Defaults columns with a default value, which an insertion may omit
 * @template Different columns that are stored differently or that the record does not have
 */
type Row<Record, Defaults extends keyof Record = never, Different extends object = object> = Simplify<
  Omit<Record, Defaults | keyof Different> & {
    [Column in Exclude<Defaults, keyof Different>]: Generated<Record[Column]>;
  } & Different
>;

/**
 * The tables for Kysely; columns are snake_case in the database. They have only types that SQLite and PostgreSQL share:
 * times are text in UTC with milliseconds (`timestamp`), which sorts correctly; booleans are 0 and 1; lists are JSON.
 */
export interface Tables {
  accounts: Row<Account, never, { disabled: number }>;
  keys: Row<Key, never, { scopes: string; limitedBy: Generated<string> }>;
  files: FileRecord;
  meters: Row<MeterId & Meter, keyof Meter>;
  usage: Row<OperationUsage, 'requests' | 'ai' | 'bytesIn' | 'bytesOut' | 'failed'>;
  notices: Row<Notice, 'attempts'>;
  packages: Package;
  rateWindows: RateWindow;
  pipelines: PipelineVersion;
  jobs: Job;
  jobItems: Row<JobItem, 'attempts' | 'leases' | 'requests' | 'ai'>;
  idempotencyKeys: IdempotentRequest;
  webhookSecrets: WebhookSecret;
  webhookMessages: Row<WebhookMessage, 'attempts'>;
  webhookDeliveries: WebhookDelivery;
  siteProjects: SiteProject;
  siteScans: Row<
    SiteScan,
    'bytesFetched' | 'progressDone' | 'attempts' | 'warnings' | 'requestsCharged' | 'packagePagesCharged'
  >;
  siteScanListParts: SiteScanListPart;
  sitePages: Row<
    SitePage,
    | 'isRead'
    | 'needsJavascript'
    | 'isCharged'
    | 'assets'
    | 'references'
    | 'imageRequests'
    | 'imageBytes'
    | 'bytesSaved'
    | 'issues'
    | 'attention'
    | 'optimization'
  >;
  siteSources: Row<SiteSource, never, { sizing: string | null }>;
  siteSourceLinks: SiteSourceLink;
  siteReferences: Row<SiteReference, never, { isSizeCertain: Generated<number> }>;
  siteAssets: Row<
    SiteAsset,
    | 'mapped'
    | 'wanted'
    | 'animated'
    | 'hasAlpha'
    | 'external'
    | 'redirects'
    | 'negotiated'
    | 'pages'
    | 'references'
    | 'roles'
    | 'bytesSaved'
    | 'savedPercent'
  >;
  siteOutputs: SiteOutput;
  siteFindings: Row<SiteFinding, 'references' | 'data'>;
  siteDownloads: SiteDownload;
  deliveredImages: DeliveredImage;
}
