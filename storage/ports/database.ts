/** The repositories of the service and the transactions over them. */

import type { OpenEvents } from '../../base/events.ts';
import type { Accounts } from './accounts.ts';
import type { DeliveredImages } from './delivered-images.ts';
import type { Files } from './files.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { JobQueue } from './job-queue.ts';
import type { Jobs } from './jobs.ts';
import type { Keys } from './keys.ts';
import type { Meters } from './meters.ts';
import type { Notices } from './notices.ts';
import type { Packages } from './packages.ts';
import type { Pipelines } from './pipelines.ts';
import type { Claims, Presence } from './processes.ts';
import type { RateWindows } from './rate-windows.ts';
import type { SiteAssessment } from './site-assessment.ts';
import type { SiteCrawl } from './site-crawl.ts';
import type { SiteDownloads } from './site-downloads.ts';
import type { SiteInventory } from './site-inventory.ts';
import type { SiteMapping } from './site-mapping.ts';
import type { SiteOutputs } from './site-outputs.ts';
import type { SiteReport } from './site-report.ts';
import type { SiteScans } from './site-scans.ts';
import type { SiteSizes } from './site-sizes.ts';
import type { Usage } from './usage.ts';
import type { Webhooks } from './webhooks.ts';

export interface Repositories {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly files: Files;
  readonly meters: Meters;
  readonly usage: Usage;
  readonly notices: Notices;
  readonly packages: Packages;
  readonly pipelines: Pipelines;
  readonly rateWindows: RateWindows;
  readonly jobs: Jobs;
  readonly jobQueue: JobQueue;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly claims: Claims;
  readonly webhooks: Webhooks;
  readonly siteAssessment: SiteAssessment;
  readonly siteCrawl: SiteCrawl;
  readonly siteDownloads: SiteDownloads;
  readonly siteMapping: SiteMapping;
  readonly siteOutputs: SiteOutputs;
  readonly siteReport: SiteReport;
  readonly siteScans: SiteScans;
  readonly siteSizes: SiteSizes;
  readonly siteInventory: SiteInventory;
  readonly deliveredImages: DeliveredImages;
}

export interface Database extends Repositories {
  /** Runs `work` on repositories whose changes are committed together, or rolled back when it throws. */
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Runs `work`, which only reads, on repositories that all show the database at the same moment. */
  snapshot<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Resolves when the database responds and its file can be read. */
  ping(): Promise<void>;
  /**
   * Announces that this process works on the database: what it claims and reserves stays its own as long as it lives.
   * Frees what processes that have ended had claimed and reserved, now and from now on.
   */
  join(): Promise<Presence>;
  /** Opens events that reach all processes on the database. */
  readonly openEvents: OpenEvents;
  close(): Promise<void>;
}
