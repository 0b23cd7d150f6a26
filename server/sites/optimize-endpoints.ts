/** /api/v1/sites/optimize: one address in, a package of optimized images out (docs/spec/shapes.md, section 17.11). */
import { z } from 'zod';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { timestamp } from '../../base/timestamp.ts';
import { DOWNLOADS } from '../../replacement-package/layout.ts';
import { replacementSchema } from '../../replacement-package/replacement.ts';
import { SCAN_STATUSES, type ScanStatus, type SiteScan } from '../../storage/records/site-scans.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { dateTime } from '../http/record.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { FREE, KEY_REQUIREMENT, SITES, SITES_ERRORS } from './access.ts';
import { completeSettings } from './body.ts';
import { checkStart, mostPages } from './create.ts';
import { scanNotFound } from './errors.ts';
import { readReplacements } from './package/mapping.ts';
import { scanError } from './records/fields.ts';
import { describeScan, type ScanRecord, scanProgress, scanTotals, scanWarnings } from './records/scan.ts';
import type { ScanRequest } from './scan-request.ts';
import type { SiteServices } from './services.ts';
import { scanSettingsSchema } from './settings.ts';
import { RUNNING_STATUSES } from './states.ts';

const PATH = '/api/v1/sites/optimize';
const PATH_OF_ONE = `${PATH}/{id}`;

/** Maximum number of replacements, and of pages, in a report. */
const MAX_LISTED = 1000;

/** The request body that starts a run. */
export const start = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_LENGTH)
    .meta({ description: 'Address of the website; https where it has no scheme.', examples: ['https://example.com'] }),
  quality: scanSettingsSchema.shape.quality.meta({ description: 'Of the WebP files.' }),
  max_pages: mostPages.optional(),
});
const startDecoder = createDecoder(start);

const STATUSES = SCAN_STATUSES.filter((status) => status !== 'review' && status !== 'ready');
export const runStatus = z.enum(STATUSES as [ScanStatus, ...ScanStatus[]]);

const started = z.object({ id: z.string().meta({ examples: ['opt_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }), status: runStatus });

export const runReport = z
  .object({
    zip_url: z.string().nullable(),
    replacements: z.array(replacementSchema).meta({ description: `The first ${MAX_LISTED}.` }),
    replacements_total: z.int().min(0),
    totals: scanTotals,
    pages: z.array(z.object({ url: z.string(), image_bytes: z.int(), bytes_saved: z.int() })),
    issues: z.record(z.string(), z.int()),
    expires_at: dateTime().nullable(),
  })
  .meta({ id: 'SiteReport' });

const runRecord = started
  .extend({
    url: z.string(),
    quality: z.int(),
    max_pages: z.int().nullable(),
    progress: scanProgress,
    warnings: scanWarnings,
    report: runReport.nullable().meta({ description: 'When it is done, for 24 hours.' }),
    zip_url: z.string().nullable().meta({ description: 'As in the report.' }),
    replacements: z.array(replacementSchema).nullable().meta({ description: 'As in the report.' }),
    error: scanError,
    created_at: dateTime(),
    finished_at: dateTime().nullable(),
    expires_at: dateTime().nullable(),
  })
  .meta({ id: 'SiteOptimizeRun' });
type RunRecord = z.output<typeof runRecord>;

/** Starts a run. @throws Failure that names what is wrong with the request, or `too_many_jobs` */
export async function startRun(
  services: SiteServices,
  caller: Caller,
  { url, quality, max_pages }: z.output<typeof start>,
): Promise<SiteScan> {
  const asked: ScanRequest = {
    ...checkStart(services, url),
    source: 'url',
    list: null,
    projectId: undefined,
    name: null,
    package: undefined,
    maxPages: max_pages ?? null,
    review: false,
    optimize: 'auto',
    settings: completeSettings({ quality }),
  };
  return await services.scans.createOptimize(caller, services.plans.of(caller.account), asked);
}

async function create(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const scan = await startRun(services, caller, await readJson(ctx, services, startDecoder));
  ctx.status = 202;
  ctx.set('Location', `${PATH}/${scan.id}`);
  ctx.body = { id: scan.id, status: scan.status } satisfies z.output<typeof started>;
}

/** Finds a run by its id. @throws Failure `not_found`, also for a scan of a project */
export async function findRun({ scans }: SiteServices, { account }: Caller, id: string): Promise<SiteScan> {
  const scan = await scans.find(account.id, id);
  if (scan.projectId !== null) throw scanNotFound(id);
  return scan;
}

async function read(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  ctx.body = await describeRun(await findRun(services, caller, ctx.params.id!), services);
}

/**
 * Describes a run.
 * @param mostListed maximum number of replacements, and of pages, in the report
 */
export async function describeRun(scan: SiteScan, services: SiteServices, mostListed = MAX_LISTED): Promise<RunRecord> {
  const { database, baseUrl, now } = services;
  const [zip] = await database.siteInventory.downloads([scan.id], DOWNLOADS.zip);
  const record = describeScan(scan, zip, { baseUrl, now: now() });
  const made = record.downloads.zip_url === null ? null : await reportOf(scan, record, services, mostListed);
  return {
    id: record.id,
    status: record.status,
    url: record.url!,
    quality: record.settings.quality,
    max_pages: record.limits.max_pages,
    progress: record.progress,
    warnings: record.warnings,
    report: made,
    zip_url: made?.zip_url ?? null,
    replacements: made?.replacements ?? null,
    error: record.error,
    created_at: record.created_at,
    finished_at: record.finished_at,
    expires_at: record.expires_at,
  };
}

async function reportOf(
  scan: SiteScan,
  { downloads, totals, expires_at }: ScanRecord,
  { database }: SiteServices,
  limit: number,
): Promise<z.output<typeof runReport>> {
  const { pages } = await database.siteInventory.pages(
    scan.id,
    { statuses: ['scanned'] },
    { sort: { by: 'seq', descending: false }, offset: 0, limit },
  );
  return {
    zip_url: downloads.zip_url,
    replacements: await readReplacements(database, scan, { limit }),
    replacements_total: await database.siteMapping.count(scan.id),
    totals,
    pages: pages.map(({ url, imageBytes, bytesSaved }) => ({ url, image_bytes: imageBytes, bytes_saved: bytesSaved })),
    issues: totals.issues,
    expires_at,
  };
}

/** Cancels a run. A run that has ended stays as it is. @throws Failure `not_found` */
export async function cancelRun(services: SiteServices, caller: Caller, id: string): Promise<void> {
  const { status } = await findRun(services, caller, id);
  if (!RUNNING_STATUSES.has(status)) return;
  const { scans, database, now } = services;
  const changes = { stoppedIn: status, finishedAt: timestamp(now()) };
  if (await database.siteScans.move(id, status, 'cancelled', changes))
    scans.events.emit({ type: 'changed', scanId: id });
  // The scan has moved on to its next phase in the meantime.
  else await cancelRun(services, caller, id);
}

async function cancel(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  await cancelRun(services, caller, ctx.params.id!);
  ctx.body = await describeRun(await findRun(services, caller, ctx.params.id!), services);
}

const ofOne = {
  requestParams: {
    path: z.object({
      id: z.string().meta({ description: 'Id of the run.', examples: ['opt_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    }),
  },
};

export const optimizeEndpoints: readonly Endpoint<SiteServices>[] = [
  {
    ...SITES,
    method: 'post',
    path: PATH,
    operation: 'start_site_optimize',
    errors: [...SITES_ERRORS, ...JSON_BODY_ERRORS, 'invalid_url', 'url_not_allowed', 'too_many_jobs', 'storage_full'],
    summary: 'Optimize the images of a website',
    description: `Scans some pages of it, converts their images to WebP, and builds a map of replacements and a package of files. Each image that is converted is one request. More pages than the plan has are lowered to that. ${KEY_REQUIREMENT}`,
    requestBody: jsonBody(start),
    responses: { '202': jsonResponse('It is accepted; `Location` is where it can be followed.', started) },
    handle: create,
  },
  {
    ...SITES,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'read_site_optimize',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'How far it is and, when it is done, the report',
    description: FREE,
    ...ofOne,
    responses: { '200': jsonResponse('The run.', runRecord) },
    handle: read,
  },
  {
    ...SITES,
    method: 'delete',
    path: PATH_OF_ONE,
    operation: 'cancel_site_optimize',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'Cancel it',
    description: `One that has ended stays as it is. ${FREE}`,
    ...ofOne,
    responses: { '200': jsonResponse('The run.', runRecord) },
    handle: cancel,
  },
];
