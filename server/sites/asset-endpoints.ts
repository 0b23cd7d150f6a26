/** /api/v1/sites/scans/{id}/assets: the images that a scan has found (docs/spec/shapes.md, sections 17.7 and 17.9). */

import { z } from 'zod';
import { described } from '../../base/described.ts';
import { invalidParameter } from '../../base/failure.ts';
import { pageFields } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { SCANS_PATH } from '../../replacement-package/layout.ts';
import { replacementSchema } from '../../replacement-package/replacement.ts';
import { APPROVALS, type SiteAsset } from '../../storage/records/site-assets.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { assetPath, FREE, SITES, SITES_ERRORS, scanOf, scanPath, seqOf } from './access.ts';
import { partNotFound } from './errors.ts';
import { assetFilters, readAssetFilters } from './filters.ts';
import { percentOf } from './findings/totals.ts';
import { isMapped } from './optimize/mapping-rule.ts';
import { replacementOf } from './package/mapping.ts';
import { type AssetRecord, assetRecord, describeAssets, listedPlaces } from './records/asset.ts';
import { recountedAssets } from './recount.ts';
import type { SiteServices } from './services.ts';
import { siteHosts } from './site-hosts.ts';

export const ASSETS_PATH = `${SCANS_PATH}/{id}/assets`;
const PATH_OF_ONE = `${ASSETS_PATH}/{seq}`;

/** Maximum number of pages listed with an image. */
const LISTED_PAGES = 1000;

/** Builds the API records of assets, in the same order. */
export async function assetRecords(
  { database, baseUrl, now }: SiteServices,
  scanId: string,
  assets: readonly SiteAsset[],
): Promise<AssetRecord[]> {
  const seqs = assets.map(({ seq }) => seq);
  const { siteInventory } = database;
  const findings = await siteInventory.findings(scanId, seqs);
  const parts = {
    findings,
    places: await siteInventory.referencePlaces(scanId, findings.flatMap(listedPlaces)),
    outputs: await siteInventory.outputs(scanId, seqs),
  };
  return describeAssets(assets, parts, { baseUrl, now: now() });
}

/** @throws Failure `not_found` */
export async function assetOf(ctx: Context, { database }: SiteServices, scanId: string): Promise<SiteAsset> {
  const seq = seqOf(ctx);
  const asset = await database.siteInventory.asset(scanId, seq);
  if (!asset) throw partNotFound('the number of an image', 'seq', seq);
  return asset;
}

async function list(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { filter, slice } = readAssetFilters(ctx);
  const { id } = await scanOf(ctx, services, caller);
  const { assets, total } = await services.database.siteInventory.assets(id, filter, slice);
  ctx.body = {
    assets: await assetRecords(services, id, assets),
    total,
    limit: slice.limit,
    offset: slice.offset,
  };
}

const assetDetail = assetRecord
  .extend({
    page_list: z
      .array(z.object({ seq: z.int(), url: z.string(), references: z.int() }))
      .meta({ description: `The first ${LISTED_PAGES} pages that use it, each with how often.` }),
    replacement: replacementSchema.nullable().meta({ description: 'Its line of the replacement map.' }),
  })
  .meta({ id: 'SiteAssetDetail' });
type AssetDetail = z.output<typeof assetDetail>;

async function read(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const scan = await scanOf(ctx, services, caller);
  const asset = await assetOf(ctx, services, scan.id);
  const [record] = await assetRecords(services, scan.id, [asset]);
  ctx.body = {
    ...record!,
    page_list: await services.database.siteInventory.pagesOfAsset(scan.id, asset.seq, LISTED_PAGES),
    replacement: await replacementOf(services.database, scan, asset.seq),
  } satisfies AssetDetail;
}

const approvalBody = z.strictObject({
  approval: z.enum(APPROVALS).meta({
    description: 'auto: mapped if it saves enough and looks the same. approved: mapped. rejected: not mapped.',
  }),
  candidate: described(z.string().optional(), 'Id of the candidate that becomes the chosen result.', 'c2'),
});
const approvalDecoder = createDecoder(approvalBody);

async function approve(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const scan = await scanOf(ctx, services, caller);
  const { seq } = await assetOf(ctx, services, scan.id);
  const { approval, candidate } = await readJson(ctx, services, approvalDecoder);
  await services.database.transaction(async (repositories) => {
    const { siteCrawl, siteInventory, siteOutputs, siteScans } = repositories;
    // Read the scan and the asset again: the scan may have changed them in the meantime.
    const present = await siteScans.find(scan.id);
    const asset = await siteInventory.asset(scan.id, seq);
    if (!present || !asset) return;
    const outputs = await siteInventory.outputs(scan.id, [seq]);
    const choices = outputs.filter(({ kind }) => kind !== 'variant');
    const chosen = choices.find(({ id }) => id === (candidate ?? asset.chosen));
    if (candidate !== undefined && !chosen)
      throw invalidParameter(
        `one of the candidates of this image, which has ${choices.length},`,
        'candidate',
        candidate,
      );
    const decided = { ...asset, approval };
    const settings = JSON.parse(present.settings);
    const saved = chosen ? Math.max(0, (asset.bytes ?? 0) - chosen.bytes) : asset.bytesSaved;
    await siteCrawl.changeAsset(scan.id, seq, {
      approval,
      mapped: Number(isMapped(decided, chosen, settings, siteHosts(present, settings))),
      chosen: chosen?.id ?? asset.chosen,
      bytesSaved: saved,
      savedPercent: chosen ? percentOf(saved, asset.bytes ?? 0) : asset.savedPercent,
    });
    if (chosen) await siteOutputs.choose(scan.id, seq, chosen.id);
    await siteScans.change(scan.id, { totals: await recountedAssets(repositories, present) });
  });
  services.scans.events.emit({ type: 'asset', scanId: scan.id, seq });
  const [record] = await assetRecords(services, scan.id, [await assetOf(ctx, services, scan.id)]);
  ctx.body = record;
}

const ofOne = { requestParams: { path: assetPath } };

export const assetEndpoints: readonly Endpoint<SiteServices>[] = [
  {
    ...SITES,
    method: 'get',
    path: ASSETS_PATH,
    operation: 'list_assets',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'The images of a website',
    description: `Each address once, with what is wrong with it and what it has become. ${FREE}`,
    requestParams: { path: scanPath, query: assetFilters },
    responses: { '200': jsonResponse('The images.', z.object({ assets: z.array(assetRecord), ...pageFields })) },
    handle: list,
  },
  {
    ...SITES,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'read_asset',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'An image, the pages that use it and its line of the replacement map',
    description: FREE,
    ...ofOne,
    responses: { '200': jsonResponse('The image.', assetDetail) },
    handle: read,
  },
  {
    ...SITES,
    method: 'patch',
    path: PATH_OF_ONE,
    operation: 'approve_asset',
    errors: [...SITES_ERRORS, ...JSON_BODY_ERRORS, 'not_found', 'storage_full'],
    summary: 'Decide whether an image is replaced, and by which result',
    description: `The map changes at once, the package when it is built again. ${FREE}`,
    ...ofOne,
    requestBody: jsonBody(approvalBody),
    responses: { '200': jsonResponse('The image.', assetRecord) },
    handle: approve,
  },
];
