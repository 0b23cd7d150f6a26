/** API records of website scans and projects (docs/spec/shapes.md, sections 17.1, 17.3 and 17.4). */
import { z } from 'zod';
import { DOWNLOADS, downloadPath } from '../../../replacement-package/layout.ts';
import type { ListedSiteScan } from '../../../storage/ports/site-scans.ts';
import type { SiteDownload } from '../../../storage/records/site-downloads.ts';
import { SCAN_SOURCES, SCAN_STATUSES } from '../../../storage/records/site-scans.ts';
import { PACKAGE_NAMES } from '../../account/packages.ts';
import { count, dateTime, recordFrom } from '../../http/record.ts';
import { percentOf } from '../findings/totals.ts';
import { scanSettingsSchema } from '../settings.ts';
import { RUNNING_STATUSES } from '../states.ts';
import { counts, errorOf, percent, type RecordContext, scanError } from './fields.ts';

export const scanProgress = z
  .object({
    phase: z.enum(SCAN_STATUSES).meta({ description: 'As the status.' }),
    done: count('Of the phase: pages, then images.'),
    total: count('null: not known yet.').nullable(),
    percent: percent(),
    current_url: z.string().nullable().meta({ description: 'What is being worked on.' }),
    eta_seconds: count('What the phase will still take; null: not known.').nullable(),
  })
  .meta({ id: 'SiteScanProgress' });

export const scanTotals = z
  .object({
    pages_found: count(),
    pages_selected: count(),
    pages_scanned: count(),
    pages_failed: count(),
    pages_skipped: count(),
    pages_over_limit: count('Found beyond the limit, and not fetched.'),
    references: count('Places where an image is named.'),
    assets: count('Images, by address.'),
    assets_unique: count('Images, by content.'),
    assets_optimized: count(),
    assets_mapped: count('With a line in the replacement map.'),
    assets_skipped: count(),
    assets_failed: count(),
    bytes_original: count(),
    bytes_optimized: count(),
    bytes_saved: z.int(),
    saved_percent: z.number(),
    issues: counts('Code of a finding to the number of images that have it.'),
    requests_charged: count(),
    package_pages_charged: count(),
  })
  .meta({ id: 'SiteScanTotals' });
type ScanTotals = z.output<typeof scanTotals>;

const link = (description: string) => z.string().nullable().meta({ description });

const scanDownloads = z
  .object({
    zip_url: link('The package: map, rules and files.'),
    mapping_json_url: link('The replacement map.'),
    mapping_csv_url: link('The same as a table.'),
    report_html_url: link('A report for people.'),
    report_csv_url: link('One line for each image.'),
    rules: z.object({
      nginx_url: link('Rewrite rules for nginx.'),
      apache_url: link('For .htaccess.'),
      netlify_url: link('For _redirects.'),
    }),
    bytes: count('Of the ZIP.').nullable(),
    sha256: z.string().nullable().meta({ description: 'Of the ZIP.' }),
    built_at: dateTime().nullable(),
    expires_at: dateTime().nullable(),
  })
  .meta({
    id: 'SiteScanDownloads',
    description: 'All null until the package is built, and again when it has expired.',
  });
type ScanDownloads = z.output<typeof scanDownloads>;

const WARNINGS = [
  'robots_blocked',
  'needs_javascript',
  'not_rendered',
  'over_limit',
  'assets_truncated',
  'slow_site',
  'external_skipped',
  'sitemap_errors',
  'unknown_numbers',
] as const;

export const scanWarnings = z.array(z.enum(WARNINGS));

const scanLimits = z
  .object({
    max_pages: count('As asked for.').nullable(),
    pages_allowed: count(),
    assets_allowed: count(),
    bytes_allowed: count('Over the network.'),
  })
  .meta({ id: 'SiteScanLimits' });

const scanChanges = z
  .object({
    assets_new: count(),
    assets_gone: count(),
    assets_changed: count(),
    bytes_delta: z.int(),
    issues_new: count(),
    issues_fixed: count(),
  })
  .meta({ id: 'SiteScanChanges' });

const scanSummary = z
  .object({
    id: z.string().meta({ examples: ['scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    project_id: z.string().nullable(),
    name: z.string().nullable(),
    domain: z.string().meta({ examples: ['example.com'] }),
    source: z.enum(SCAN_SOURCES),
    url: z.string().nullable(),
    status: z.enum(SCAN_STATUSES),
    review: z.boolean(),
    optimize: z.enum(['auto', 'manual']),
    package: z.enum(PACKAGE_NAMES).nullable(),
    limits: scanLimits,
    progress: scanProgress,
    totals: scanTotals,
    downloads: scanDownloads,
    warnings: scanWarnings,
    error: scanError,
    previous_scan_id: z.string().nullable().meta({ description: 'The last scan of the project that was completed.' }),
    changes: scanChanges.nullable().meta({ description: 'Against the previous scan.' }),
    created_at: dateTime(),
    started_at: dateTime().nullable(),
    finished_at: dateTime().nullable(),
    expires_at: dateTime().nullable().meta({ description: 'From then on its files are gone.' }),
  })
  .meta({ id: 'SiteScanSummary' });
type ScanSummary = z.output<typeof scanSummary>;

export const scanRecord = scanSummary.extend({ settings: scanSettingsSchema }).meta({ id: 'SiteScan' });
export type ScanRecord = z.output<typeof scanRecord>;

export const projectRecord = z
  .object({
    id: z.string().meta({ examples: ['proj_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    name: z.string().nullable(),
    domain: z.string().meta({ examples: ['example.com'] }),
    created_at: dateTime(),
    scans: z.array(scanSummary).meta({ description: 'Newest first, the last 20.' }),
  })
  .meta({ id: 'SiteProject' });

const NO_TOTALS: ScanTotals = {
  pages_found: 0,
  pages_selected: 0,
  pages_scanned: 0,
  pages_failed: 0,
  pages_skipped: 0,
  pages_over_limit: 0,
  references: 0,
  assets: 0,
  assets_unique: 0,
  assets_optimized: 0,
  assets_mapped: 0,
  assets_skipped: 0,
  assets_failed: 0,
  bytes_original: 0,
  bytes_optimized: 0,
  bytes_saved: 0,
  saved_percent: 0,
  issues: {},
  requests_charged: 0,
  package_pages_charged: 0,
};

/** @param zip the scan's package, if one was built */
export function describeScan(
  scan: ListedSiteScan & { settings: string },
  zip: SiteDownload | undefined,
  shown: RecordContext,
): ScanRecord {
  return { ...summarize(scan, zip, shown), settings: JSON.parse(scan.settings) };
}

/** @param zip the scan's package, if one was built */
export function summarize(scan: ListedSiteScan, zip: SiteDownload | undefined, shown: RecordContext): ScanSummary {
  return recordFrom(scanSummary, scan, {
    review: scan.review === 1,
    package: scan.package as ScanSummary['package'],
    limits: recordFrom(scanSummary.shape.limits, scan, {}),
    progress: progressOf(scan, shown.now),
    totals: totalsOf(scan),
    downloads: downloadsOf(scan, zip, shown),
    warnings: JSON.parse(scan.warnings),
    error: errorOf(scan),
    changes: scan.changes === null ? null : JSON.parse(scan.changes),
  });
}

export const totalsOf = ({ totals }: Pick<ListedSiteScan, 'totals'>): ScanTotals =>
  totals === null ? NO_TOTALS : JSON.parse(totals);

export function progressOf(
  scan: Pick<ListedSiteScan, 'status' | 'progressDone' | 'progressTotal' | 'progressUrl' | 'phaseStartedAt'>,
  now: number,
): z.output<typeof scanProgress> {
  const { status, progressDone: done, progressTotal: total, phaseStartedAt } = scan;
  const atWork = RUNNING_STATUSES.has(status);
  const elapsed = phaseStartedAt === null ? 0 : (now - Date.parse(phaseStartedAt)) / 1000;
  const remains = atWork && total !== null && done > 0 && elapsed > 0;
  return {
    phase: status,
    done,
    total,
    percent: shareOf(scan),
    current_url: atWork ? scan.progressUrl : null,
    eta_seconds: remains ? Math.ceil((elapsed * Math.max(0, total - done)) / done) : null,
  };
}

/** Progress of the phase, in percent. */
function shareOf({ status, progressDone, progressTotal }: Parameters<typeof progressOf>[0]): number {
  if (status === 'done' || status === 'ready' || status === 'review') return 100;
  return progressTotal === null ? 0 : Math.min(100, percentOf(progressDone, progressTotal));
}

/** True once the retention time of a scan's files is over, whether or not they have been removed yet. */
export const isExpired = ({ expiresAt }: Pick<ListedSiteScan, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** The addresses of all package files. They are built and expire together with the ZIP. */
function downloadsOf(
  scan: ListedSiteScan,
  built: SiteDownload | undefined,
  { baseUrl, now }: RecordContext,
): ScanDownloads {
  const zip = isExpired(scan, now) ? undefined : built;
  const url = (name: string) => (zip ? baseUrl + downloadPath(scan.id, name) : null);
  return {
    zip_url: url(DOWNLOADS.zip),
    mapping_json_url: url(DOWNLOADS.mappingJson),
    mapping_csv_url: url(DOWNLOADS.mappingCsv),
    report_html_url: url(DOWNLOADS.reportHtml),
    report_csv_url: url(DOWNLOADS.reportCsv),
    rules: { nginx_url: url(DOWNLOADS.nginx), apache_url: url(DOWNLOADS.apache), netlify_url: url(DOWNLOADS.netlify) },
    bytes: zip?.bytes ?? null,
    sha256: zip?.sha256 ?? null,
    built_at: zip?.builtAt ?? null,
    expires_at: zip ? scan.expiresAt : null,
  };
}
