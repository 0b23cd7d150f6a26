/** Website scans as the interface shows them (spec/shapes.md, sections 17.1, 17.3, 17.4, 17.6 and 17.7). */
import { z } from 'zod';
import { groupBy } from '../../base/group-by.ts';
import type {
  PlacedReference,
  SiteAsset,
  SiteDownload,
  SiteFinding,
  SiteOutput,
  SitePage,
} from '../../storage/repositories/site-inventory.ts';
import type { ListedSiteScan } from '../../storage/repositories/site-scans.ts';
import {
  APPROVALS,
  ASSET_KINDS,
  ASSET_SKIP_REASONS,
  ASSET_STATUSES,
  PAGE_SKIP_REASONS,
  PAGE_STATUSES,
  SCAN_SOURCES,
  SCAN_STATUSES,
} from '../../storage/schema.ts';
import { PACKAGE_NAMES } from '../account/packages.ts';
import { dateTime } from '../account/records.ts';
import { DOWNLOADS } from './downloads.ts';
import { percentOf, slowSeconds } from './findings/totals.ts';
import { scanSettingsSchema } from './settings.ts';
import { AT_WORK } from './states.ts';

export const SCANS_PATH = '/api/v1/sites/scans';

const count = (description?: string) =>
  z
    .int()
    .min(0)
    .meta(description === undefined ? {} : { description });
const percent = () => z.number().min(0).max(100);
export const scanError = z
  .object({ code: z.string().meta({ examples: ['url_fetch_failed'] }), message: z.string() })
  .nullable()
  .meta({ description: 'When the status is failed.' });
const counts = (description: string) => z.record(z.string(), z.int().min(0)).meta({ description });

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
  'over_limit',
  'assets_truncated',
  'slow_site',
  'external_skipped',
  'sitemap_errors',
  'unknown_numbers',
] as const;

export const scanWarnings = z.array(z.enum(WARNINGS));

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
    limits: z.object({
      max_pages: count('As asked for.').nullable(),
      pages_allowed: count(),
      assets_allowed: count(),
      bytes_allowed: count('Over the network.'),
    }),
    progress: scanProgress,
    totals: scanTotals,
    downloads: scanDownloads,
    warnings: scanWarnings,
    error: scanError,
    previous_scan_id: z.string().nullable().meta({ description: 'The last scan of the project that was completed.' }),
    changes: z
      .object({
        assets_new: count(),
        assets_gone: count(),
        assets_changed: count(),
        bytes_delta: z.int(),
        issues_new: count(),
        issues_fixed: count(),
      })
      .nullable()
      .meta({ description: 'Against the previous scan.' }),
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

/** What records are made with. */
export interface Shown {
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
  /** In milliseconds. */
  now: number;
}

/** @param zip its package, if one was built */
export function describeScan(
  scan: ListedSiteScan & { settings: string },
  zip: SiteDownload | undefined,
  shown: Shown,
): ScanRecord {
  return { ...summarise(scan, zip, shown), settings: JSON.parse(scan.settings) };
}

/** @param zip its package, if one was built */
export function summarise(scan: ListedSiteScan, zip: SiteDownload | undefined, shown: Shown): ScanSummary {
  return {
    id: scan.id,
    project_id: scan.projectId,
    name: scan.name,
    domain: scan.domain,
    source: scan.source,
    url: scan.url,
    status: scan.status,
    review: scan.review === 1,
    optimize: scan.optimize,
    package: scan.package as ScanSummary['package'],
    limits: {
      max_pages: scan.maxPages,
      pages_allowed: scan.pagesAllowed,
      assets_allowed: scan.assetsAllowed,
      bytes_allowed: scan.bytesAllowed,
    },
    progress: progressOf(scan, shown.now),
    totals: totalsOf(scan),
    downloads: downloadsOf(scan, zip, shown),
    warnings: JSON.parse(scan.warnings),
    error: errorOf(scan),
    previous_scan_id: scan.previousScanId,
    changes: scan.changes === null ? null : JSON.parse(scan.changes),
    created_at: scan.createdAt,
    started_at: scan.startedAt,
    finished_at: scan.finishedAt,
    expires_at: scan.expiresAt,
  };
}

export function totalsOf({ totals }: Pick<ListedSiteScan, 'totals'>): ScanTotals {
  return totals === null ? NO_TOTALS : JSON.parse(totals);
}

export function progressOf(
  scan: Pick<ListedSiteScan, 'status' | 'progressDone' | 'progressTotal' | 'progressUrl' | 'phaseStartedAt'>,
  now: number,
): z.output<typeof scanProgress> {
  const { status, progressDone: done, progressTotal: total, phaseStartedAt } = scan;
  const atWork = AT_WORK.has(status);
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

/** Of the phase, in percent. */
function shareOf({ status, progressDone, progressTotal }: Parameters<typeof progressOf>[0]): number {
  if (status === 'done' || status === 'ready' || status === 'review') return 100;
  return progressTotal === null ? 0 : Math.min(100, percentOf(progressDone, progressTotal));
}

/** True from the moment in which the files of a scan are gone, swept or not. */
export function isExpired({ expiresAt }: Pick<ListedSiteScan, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** Address of a file of a package. */
function downloadUrl(scanId: string, name: string, baseUrl: string): string {
  return `${baseUrl}${SCANS_PATH}/${scanId}/downloads/${name}`;
}

/** Its files are built with it, and go with it. */
function downloadsOf(scan: ListedSiteScan, built: SiteDownload | undefined, { baseUrl, now }: Shown): ScanDownloads {
  const zip = isExpired(scan, now) ? undefined : built;
  const url = (name: string) => (zip ? downloadUrl(scan.id, name, baseUrl) : null);
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

function errorOf({ errorCode, errorMessage }: { errorCode: string | null; errorMessage: string | null }) {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
}

export const ATTENTION = ['failed', 'broken_assets', 'heavy', 'needs_javascript', 'privacy'] as const;
export const OPTIMIZATIONS = ['none', 'partial', 'complete', 'not_needed'] as const;

export const pageRecord = z
  .object({
    seq: z.int().min(1).meta({ description: 'Number of the page, in the order of discovery.' }),
    url: z.string(),
    final_url: z.string().nullable().meta({ description: 'Where redirects ended.' }),
    canonical_url: z.string().nullable(),
    status: z.enum(PAGE_STATUSES),
    skip_reason: z.enum(PAGE_SKIP_REASONS).nullable(),
    selected: z.boolean(),
    over_limit: z.boolean().meta({ description: 'Found beyond the limit, and not fetched.' }),
    http_status: z.int().nullable(),
    title: z.string().nullable(),
    depth: count('Links from the start.'),
    found_by: z.enum(['start', 'sitemap', 'link', 'list']),
    html_bytes: count().nullable(),
    assets: count(),
    references: count(),
    image_requests: count(),
    image_bytes: count(),
    optimized_bytes: count(),
    bytes_saved: z.int(),
    saved_percent: z.number(),
    seconds_saved_slow_4g: z.number().meta({ description: 'What they take at 1.6 Mbit/s.' }),
    heaviest_asset_seq: z.int().nullable(),
    issues: counts('Code of a finding to the number of images of this page that have it.'),
    attention: z.array(z.enum(ATTENTION)),
    optimization: z.enum(OPTIMIZATIONS),
    error: scanError,
    fetched_at: dateTime().nullable(),
  })
  .meta({ id: 'SitePage' });
type PageRecord = z.output<typeof pageRecord>;

export const reference = z
  .object({
    page_seq: z.int().nullable().meta({ description: 'null: in a document that belongs to several pages.' }),
    page_url: z.string().nullable(),
    role: z.string().meta({ description: 'Kind of place.', examples: ['img_src'] }),
    tag: z.string().nullable(),
    attribute: z.string().nullable(),
    raw: z.string().meta({ description: 'Exactly as it stands in the source.' }),
    descriptor: z
      .string()
      .nullable()
      .meta({ examples: ['800w'] }),
    media: z.string().nullable(),
    sizes: z.string().nullable(),
    alt: z.string().nullable(),
    loading: z.string().nullable(),
    declared_width: z.int().nullable(),
    declared_height: z.int().nullable(),
    displayed_width: z.int().nullable(),
    displayed_height: z.int().nullable(),
    displayed_source: z.string().meta({ description: 'attribute, style, sizes, descriptor or unknown.' }),
    stylesheet_url: z.string().nullable().meta({ description: 'Where it is in a style sheet of its own.' }),
    source_url: z.string().meta({ description: 'Document that holds it.' }),
    line: z.int(),
    column: z.int(),
    in_noscript: z.boolean(),
  })
  .meta({ id: 'SiteReference' });

/** References of a page that are listed with it. */
export const LISTED_REFERENCES = 5000;

export const pageDetail = pageRecord
  .extend({
    asset_list: z
      .array(
        z.object({
          seq: z.int(),
          url: z.string(),
          kind: z.enum(ASSET_KINDS),
          status: z.enum(ASSET_STATUSES),
          bytes: count().nullable(),
          bytes_saved: z.int(),
          findings: z.array(z.string()).meta({ description: 'Codes.' }),
          references: z.array(reference),
        }),
      )
      .meta({
        description: `Every image that the page uses, with the first ${LISTED_REFERENCES} references of the page.`,
      }),
  })
  .meta({ id: 'SitePageDetail' });
type PageDetail = z.output<typeof pageDetail>;

export function describePage(page: SitePage): PageRecord {
  return {
    seq: page.seq,
    url: page.url,
    final_url: page.finalUrl,
    canonical_url: page.canonicalUrl,
    status: page.status,
    skip_reason: page.skipReason,
    selected: page.selected === 1,
    over_limit: page.overLimit === 1,
    http_status: page.httpStatus,
    title: page.title,
    depth: page.depth,
    found_by: page.foundBy,
    html_bytes: page.htmlBytes,
    assets: page.assets,
    references: page.references,
    image_requests: page.imageRequests,
    image_bytes: page.imageBytes,
    optimized_bytes: page.imageBytes - page.bytesSaved,
    bytes_saved: page.bytesSaved,
    saved_percent: percentOf(page.bytesSaved, page.imageBytes),
    seconds_saved_slow_4g: slowSeconds(page.bytesSaved),
    heaviest_asset_seq: page.heaviestAssetSeq,
    issues: JSON.parse(page.issues),
    attention: JSON.parse(page.attention),
    optimization: page.optimization,
    error: errorOf(page),
    fetched_at: page.fetchedAt,
  };
}

export function describePageWithAssets(
  page: SitePage,
  assets: readonly SiteAsset[],
  references: readonly PlacedReference[],
  findings: readonly SiteFinding[],
): PageDetail {
  const ofAsset = groupBy(references, ({ assetSeq }) => assetSeq);
  const codes = groupBy(findings, ({ assetSeq }) => assetSeq);
  return {
    ...describePage(page),
    asset_list: assets.map(({ seq, url, kind, status, bytes, bytesSaved }) => ({
      seq,
      url,
      kind,
      status,
      bytes,
      bytes_saved: bytesSaved,
      findings: (codes.get(seq) ?? []).map(({ code }) => code),
      references: (ofAsset.get(seq) ?? []).map((each) => describeReference(each, page)),
    })),
  };
}

function describeReference(found: PlacedReference, page: SitePage): z.output<typeof reference> {
  const ofPage = found.sourceKind === 'page' || found.pageSeq !== null;
  return {
    page_seq: ofPage ? page.seq : null,
    page_url: ofPage ? page.url : null,
    role: found.role,
    tag: found.tag,
    attribute: found.attribute,
    raw: found.raw,
    descriptor: found.descriptor,
    media: found.media,
    sizes: found.sizes,
    alt: found.alt,
    loading: found.loading,
    declared_width: found.declaredWidth,
    declared_height: found.declaredHeight,
    displayed_width: found.displayedWidth,
    displayed_height: found.displayedHeight,
    displayed_source: found.displayedSource,
    stylesheet_url: found.sourceKind === 'stylesheet' ? found.sourceUrl : null,
    source_url: found.sourceUrl,
    line: found.line,
    column: found.column,
    in_noscript: found.inNoscript === 1,
  };
}

export const finding = z
  .object({
    code: z.string().meta({ examples: ['wrong_format'] }),
    severity: z.enum(['error', 'warning', 'notice', 'info']),
    message: z.string(),
    savings_bytes: z.int().nullable(),
    references: z.array(z.int()).meta({ description: 'Numbers of the first 100 references that it is about.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SiteFinding' });

export const output = z
  .object({
    id: z.string().meta({ examples: ['o1'] }),
    filename: z.string(),
    format: z.string(),
    bytes: count(),
    width: count(),
    height: count(),
    quality: z.int().nullable(),
    similarity: z.number().nullable(),
    sha256: z.string(),
    url: z.string(),
  })
  .meta({ id: 'SiteOutput' });

export const assetRecord = z
  .object({
    seq: z.int().min(1).meta({ description: 'Number of the image.' }),
    url: z.string().meta({ description: 'Of a data URI: `data:`, its type and a hash.' }),
    final_url: z.string().nullable(),
    kind: z.enum(ASSET_KINDS),
    status: z.enum(ASSET_STATUSES),
    skip_reason: z.enum(ASSET_SKIP_REASONS).nullable(),
    approval: z.enum(APPROVALS),
    mapped: z.boolean().meta({ description: 'Has a line in the replacement map.' }),
    format: z.string().nullable().meta({ description: 'By content.' }),
    content_type: z.string().nullable().meta({ description: 'By content.' }),
    bytes: count().nullable(),
    width: count().nullable(),
    height: count().nullable(),
    frames: count().nullable(),
    animated: z.boolean(),
    has_alpha: z.boolean(),
    external: z.boolean().meta({ description: 'Of another host.' }),
    sha256: z.string().nullable(),
    fingerprint: z.string().nullable(),
    http_status: z.int().nullable(),
    cache_control: z.string().nullable(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
    roles: z.array(z.string()).meta({ description: 'Kinds of places where it is named.' }),
    pages: count('How many use it.'),
    references: count('How many places name it.'),
    largest_displayed: z
      .object({ width: z.int().nullable(), height: z.int().nullable(), source: z.string() })
      .nullable(),
    findings: z.array(finding),
    duplicate_of: z.int().nullable().meta({ description: 'Number of the image with the same content.' }),
    optimized: output.nullable().meta({ description: 'The chosen result.' }),
    variants: z.array(output).meta({ description: 'Responsive widths.' }),
    candidates: z.array(output).meta({ description: 'Other results to choose from.' }),
    bytes_saved: z.int(),
    saved_percent: z.number(),
    error: scanError,
  })
  .meta({ id: 'SiteAsset' });
export type AssetRecord = z.output<typeof assetRecord>;

/** Findings and results, of whichever assets. */
export interface AssetParts {
  findings: readonly SiteFinding[];
  outputs: readonly SiteOutput[];
}

/**
 * The records of assets, in their order.
 * @param parts those of these assets
 */
export function describeAssets(assets: readonly SiteAsset[], parts: AssetParts, shown: Shown): AssetRecord[] {
  const findings = groupBy(parts.findings, ({ assetSeq }) => assetSeq);
  const outputs = groupBy(parts.outputs, ({ assetSeq }) => assetSeq);
  return assets.map((asset) =>
    describeAsset(asset, findings.get(asset.seq) ?? [], outputs.get(asset.seq) ?? [], shown),
  );
}

function describeAsset(
  asset: SiteAsset,
  findings: readonly SiteFinding[],
  outputs: readonly SiteOutput[],
  { baseUrl }: Shown,
): AssetRecord {
  const chosen = outputs.find(({ id }) => id === asset.chosen);
  const ofKind = (kind: SiteOutput['kind']) =>
    outputs.filter((each) => each.kind === kind).map((each) => describeOutput(each, asset, baseUrl));
  return {
    seq: asset.seq,
    url: asset.url,
    final_url: asset.finalUrl,
    kind: asset.kind,
    status: asset.status,
    skip_reason: asset.skipReason,
    approval: asset.approval,
    mapped: asset.mapped === 1,
    format: asset.format,
    content_type: asset.contentType,
    bytes: asset.bytes,
    width: asset.width,
    height: asset.height,
    frames: asset.frames,
    animated: asset.animated === 1,
    has_alpha: asset.hasAlpha === 1,
    external: asset.external === 1,
    sha256: asset.sha256,
    fingerprint: asset.fingerprint,
    http_status: asset.httpStatus,
    cache_control: asset.cacheControl,
    etag: asset.etag,
    last_modified: asset.lastModified,
    roles: JSON.parse(asset.roles),
    pages: asset.pages,
    references: asset.references,
    largest_displayed:
      asset.displayedSource === null
        ? null
        : { width: asset.displayedWidth, height: asset.displayedHeight, source: asset.displayedSource },
    findings: findings.map(describeFinding),
    duplicate_of: asset.duplicateOf,
    optimized: chosen ? describeOutput(chosen, asset, baseUrl) : null,
    variants: ofKind('variant'),
    candidates: ofKind('candidate'),
    bytes_saved: asset.bytesSaved,
    saved_percent: asset.savedPercent,
    error: errorOf(asset),
  };
}

function describeFinding(found: SiteFinding): z.output<typeof finding> {
  const { code, severity, message, savingsBytes, references, data } = found;
  return {
    code,
    severity,
    message,
    savings_bytes: savingsBytes,
    references: JSON.parse(references),
    data: JSON.parse(data),
  };
}

function describeOutput(found: SiteOutput, asset: SiteAsset, baseUrl: string): z.output<typeof output> {
  const { id, kind, filename, format, bytes, width, height, quality, similarity, sha256 } = found;
  const query = id === asset.chosen ? '' : `?which=${kind}&id=${id}`;
  const url = `${baseUrl}${SCANS_PATH}/${asset.scanId}/assets/${asset.seq}/file${query}`;
  return { id, filename, format, bytes, width, height, quality, similarity, sha256, url };
}
