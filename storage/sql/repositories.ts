/** The repositories on any database that Kysely speaks to. */

import type { Kysely } from 'kysely';
import type { Repositories } from '../ports/database.ts';
import type { Claims } from '../ports/processes.ts';
import { SqlAccounts } from './repositories/accounts.ts';
import { SqlDeliveredImages } from './repositories/delivered-images.ts';
import { SqlFiles } from './repositories/files.ts';
import { SqlIdempotencyKeys } from './repositories/idempotency.ts';
import { SqlJobQueue } from './repositories/job-queue.ts';
import { SqlJobs } from './repositories/jobs.ts';
import { SqlKeys } from './repositories/keys.ts';
import { SqlMeters } from './repositories/meters.ts';
import { SqlNotices } from './repositories/notices.ts';
import { SqlPackages } from './repositories/packages.ts';
import { SqlPipelines } from './repositories/pipelines.ts';
import { SqlRateWindows } from './repositories/rate-windows.ts';
import { SqlSiteAssessment } from './repositories/site-assessment.ts';
import { SqlSiteCrawl } from './repositories/site-crawl.ts';
import { SqlSiteDownloads } from './repositories/site-downloads.ts';
import { SqlSiteInventory } from './repositories/site-inventory.ts';
import { SqlSiteMapping } from './repositories/site-mapping.ts';
import { SqlSiteOutputs } from './repositories/site-outputs.ts';
import { SqlSiteReport } from './repositories/site-report.ts';
import { SqlSiteScans } from './repositories/site-scans.ts';
import { SqlSiteSizes } from './repositories/site-sizes.ts';
import { SqlUsage } from './repositories/usage.ts';
import { SqlWebhooks } from './repositories/webhooks.ts';
import type { Tables } from './schema.ts';

export function repositoriesOn(db: Kysely<Tables>, claims: Claims): Repositories {
  return {
    claims,
    accounts: new SqlAccounts(db),
    keys: new SqlKeys(db),
    files: new SqlFiles(db),
    meters: new SqlMeters(db),
    usage: new SqlUsage(db),
    notices: new SqlNotices(db),
    packages: new SqlPackages(db),
    pipelines: new SqlPipelines(db),
    rateWindows: new SqlRateWindows(db),
    jobs: new SqlJobs(db),
    jobQueue: new SqlJobQueue(db),
    idempotencyKeys: new SqlIdempotencyKeys(db),
    webhooks: new SqlWebhooks(db),
    siteAssessment: new SqlSiteAssessment(db),
    siteCrawl: new SqlSiteCrawl(db),
    siteDownloads: new SqlSiteDownloads(db),
    siteMapping: new SqlSiteMapping(db),
    siteOutputs: new SqlSiteOutputs(db),
    siteReport: new SqlSiteReport(db),
    siteScans: new SqlSiteScans(db),
    siteSizes: new SqlSiteSizes(db),
    siteInventory: new SqlSiteInventory(db),
    deliveredImages: new SqlDeliveredImages(db),
  };
}
