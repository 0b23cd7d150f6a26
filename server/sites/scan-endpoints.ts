/** /api/v1/sites/scans: creates, reads, changes and deletes website scans (docs/spec/shapes.md, sections 17.1 and 17.2). */
import { z } from 'zod';
import { groupBy } from '../../base/group-by.ts';
import { pageFields, pageParams } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { DOWNLOADS, SCANS_PATH } from '../../replacement-package/layout.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { ownerOf } from '../account/owner.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { MAX_EVENT_STREAMS_PER_ACCOUNT, sendEvents } from '../http/event-stream.ts';
import { JSON_BODY_ERRORS, readJson, withJsonParams } from '../http/json-body.ts';
import type { JsonLimits } from '../http/json-reader.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { readQuery } from '../http/query.ts';
import { FREE, KEY_REQUIREMENT, projectScanOf, SITES, SITES_ERRORS, scanOf, scanPath } from './access.ts';
import { assetRecords } from './asset-endpoints.ts';
import { CREATION_LIMITS, checkCreation, creation, creationDecoder } from './create.ts';
import { scanSubscription } from './event-stream.ts';
import { checkRobotsSetting } from './ownership.ts';
import { describePage } from './records/page.ts';
import { describeScan, projectRecord, type ScanRecord, scanRecord, summarize } from './records/scan.ts';
import type { SiteServices } from './services.ts';
import { scanSettingsSchema } from './settings.ts';
import { checkUpdate, update, updateDecoder, updateScan } from './update.ts';

const PATH_OF_ONE = `${SCANS_PATH}/{id}`;

/** Maximum number of scans listed per project. Older scans can be read by their ids. */
const MAX_LISTED_SCANS = 20;

/** Enough for settings and for numbers of pages or images. */
const UPDATE_LIMITS: JsonLimits = { maxBytes: 256 * 1024, maxValues: 25_000 };

const pageDecoder = createDecoder(pageParams);

/** The API record of a scan. */
export async function recordOf(scan: SiteScan, { database, baseUrl, now }: SiteServices): Promise<ScanRecord> {
  const [zip] = await database.siteInventory.downloads([scan.id], DOWNLOADS.zip);
  return describeScan(scan, zip, { baseUrl, now: now() });
}

async function create(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const signal = clientSignal(ctx.res);
  const scan = await withJsonParams(ctx, services, creationDecoder, CREATION_LIMITS, async (sent) => {
    await services.scans.checkQueue(caller.account.id);
    const asked = await checkCreation(services, sent, signal, ownerOf(caller));
    await checkRobotsSetting(services, caller.account, asked.settings, { site: asked.site, signal });
    return await services.scans.create(caller, services.plans.of(caller.account), asked, signal);
  });
  ctx.status = 201;
  ctx.set('Location', `${SCANS_PATH}/${scan.id}`);
  ctx.body = await recordOf(scan, services);
}

type Projects = { projects: z.output<typeof projectRecord>[]; total: number };

/** The websites of an account with their latest scans, most recently scanned first. */
export async function readProjects(
  { database, baseUrl, now }: SiteServices,
  { account }: Caller,
  { limit, offset }: z.output<typeof pageParams>,
): Promise<Projects> {
  const { projects, total } = await database.siteScans.projects(account.id, { limit, offset });
  const ids = projects.map(({ id }) => id);
  const scans = await database.siteScans.scansOf(ids, MAX_LISTED_SCANS);
  const scanIds = scans.map(({ id }) => id);
  const zips = await database.siteInventory.downloads(scanIds, DOWNLOADS.zip);
  const ofProject = groupBy(scans, ({ projectId }) => projectId);
  const zipOf = new Map(zips.map((zip) => [zip.scanId, zip]));
  const shown = { baseUrl, now: now() };
  return {
    projects: projects.map(({ id, name, domain, createdAt }) => ({
      id,
      name,
      domain,
      created_at: createdAt,
      scans: (ofProject.get(id) ?? []).map((scan) => summarize(scan, zipOf.get(scan.id), shown)),
    })),
    total,
  };
}

async function list(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const slice = readQuery(ctx, pageDecoder);
  ctx.body = { ...(await readProjects(services, caller, slice)), ...slice };
}

async function read(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  ctx.body = await recordOf(await projectScanOf(ctx, services, caller), services);
}

async function change(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { id } = await projectScanOf(ctx, services, caller);
  const asked = checkUpdate(await readJson(ctx, services, updateDecoder, UPDATE_LIMITS));
  ctx.body = await recordOf(await updateScan(services, caller, id, asked, clientSignal(ctx.res)), services);
}

const deleted = z.object({ deleted: z.literal(true), id: z.string() });

async function remove(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { id } = await projectScanOf(ctx, services, caller);
  await services.scans.delete(caller.account.id, id);
  ctx.body = { deleted: true, id } satisfies z.output<typeof deleted>;
}

async function follow(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { scans, database, eventStreams } = services;
  const { id } = await scanOf(ctx, services, caller);
  const subscription = scanSubscription({
    scan: async () => {
      const scan = await database.siteScans.find(id);
      return scan && (await recordOf(scan, services));
    },
    page: async (seq) => {
      const page = await database.siteInventory.page(id, seq);
      return page && describePage(page);
    },
    asset: async (seq) => {
      const asset = await database.siteInventory.asset(id, seq);
      return asset && (await assetRecords(services, id, [asset]))[0];
    },
  });
  sendEvents(ctx, eventStreams.open(caller.account.id, { subject: id, events: scans.events, subscription }));
}

const ofOne = { requestParams: { path: scanPath } };

export const scanEndpoints: readonly Endpoint<SiteServices>[] = [
  {
    ...SITES,
    method: 'post',
    path: SCANS_PATH,
    operation: 'create_scan',
    errors: [
      ...SITES_ERRORS,
      ...JSON_BODY_ERRORS,
      'invalid_url',
      'url_not_allowed',
      'conflicting_parameters',
      'not_found',
      'domain_mismatch',
      'upgrade_required',
      'list_too_large',
      'too_many_jobs',
      'storage_full',
      'processing_timeout',
    ],
    summary: 'Scan a website',
    description: `Finds its pages and images, converts the images, and builds a map of replacements and a package of files. Each image that is converted is one request; with a package each page that is analysed is charged to it. Scans beyond those that run at a time wait. ${KEY_REQUIREMENT}`,
    requestBody: jsonBody(creation.extend({ settings: scanSettingsSchema.optional() })),
    responses: { '201': jsonResponse('The scan; `Location` is where it can be read.', scanRecord) },
    handle: create,
  },
  {
    ...SITES,
    method: 'get',
    path: SCANS_PATH,
    operation: 'list_scans',
    errors: SITES_ERRORS,
    summary: 'The websites of the account with their scans',
    description: `The website that was scanned last comes first. ${FREE}`,
    requestParams: { query: pageParams },
    responses: {
      '200': jsonResponse('The projects.', z.object({ projects: z.array(projectRecord), ...pageFields })),
    },
    handle: list,
  },
  {
    ...SITES,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'read_scan',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'A scan with its progress, totals and downloads',
    description: FREE,
    ...ofOne,
    responses: { '200': jsonResponse('The scan.', scanRecord) },
    handle: read,
  },
  {
    ...SITES,
    method: 'patch',
    path: PATH_OF_ONE,
    operation: 'update_scan',
    errors: [
      ...SITES_ERRORS,
      ...JSON_BODY_ERRORS,
      'not_found',
      'invalid_state',
      'conflicting_parameters',
      'url_not_allowed',
      'expired',
      'storage_full',
      'processing_timeout',
    ],
    summary: 'Tick pages, go on, stop, try again, convert or pack',
    description: `What an action leads to depends on the status: start from review, ready, done; retry from failed, cancelled, ready, done; select, optimize and package from ready and done, select from review too; cancel from all in which work is done or waits. ${KEY_REQUIREMENT}`,
    ...ofOne,
    requestBody: jsonBody(update.extend({ settings: scanSettingsSchema.optional() })),
    responses: { '200': jsonResponse('The scan as it then is.', scanRecord) },
    handle: change,
  },
  {
    ...SITES,
    method: 'delete',
    path: PATH_OF_ONE,
    operation: 'delete_scan',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'Delete a scan with its results and files',
    description: `What is being done for it is stopped. A website without scans is no longer held. ${FREE}`,
    ...ofOne,
    responses: { '200': jsonResponse('It is gone.', deleted) },
    handle: remove,
  },
  {
    ...SITES,
    method: 'get',
    path: `${PATH_OF_ONE}/events`,
    operation: 'follow_scan',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'What happens to a scan, as it happens',
    description: `Server-sent events: \`scan\` with the record at the start and when its status changes, \`progress\` with \`progress\` and \`totals\`, \`page\` and \`asset\` with the record of one that has changed, \`end\` with the record when it has ended or waits for its owner. A comment every 15 seconds; at most 10 minutes. An account has at most ${MAX_EVENT_STREAMS_PER_ACCOUNT} streams open, of jobs and scans together. ${FREE}`,
    ...ofOne,
    responses: { '200': { description: 'The events.', content: { 'text/event-stream': { schema: z.string() } } } },
    handle: follow,
  },
];
