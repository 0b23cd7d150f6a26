/** /api/v1/sites/scans/{id}/pages: the pages that a scan has found (docs/spec/shapes.md, sections 17.6 and 17.9). */
import { z } from 'zod';
import { pageFields } from '../../base/paging.ts';
import { SCANS_PATH } from '../../replacement-package/layout.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { FREE, pagePath, SITES, SITES_ERRORS, scanOf, scanPath, seqOf } from './access.ts';
import { partNotFound } from './errors.ts';
import { pageFilters, readPageFilters } from './filters.ts';
import { describePage, describePageWithAssets, LISTED_REFERENCES, pageDetail, pageRecord } from './records/page.ts';
import type { SiteServices } from './services.ts';

const PATH = `${SCANS_PATH}/{id}/pages`;

async function list(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { filter, slice } = readPageFilters(ctx);
  const { id } = await scanOf(ctx, services, caller);
  const { pages, total } = await services.database.siteInventory.pages(id, filter, slice);
  ctx.body = { pages: pages.map(describePage), total, limit: slice.limit, offset: slice.offset };
}

async function read(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const { id } = await scanOf(ctx, services, caller);
  const seq = seqOf(ctx);
  const { siteInventory } = services.database;
  const page = await siteInventory.page(id, seq);
  if (!page) throw partNotFound('the number of a page', 'seq', seq);
  const assets = await siteInventory.assetsOfPage(id, seq);
  const references = await siteInventory.referencesOfPage(id, seq, LISTED_REFERENCES);
  const findings = await siteInventory.findings(
    id,
    assets.map((asset) => asset.seq),
  );
  ctx.body = describePageWithAssets(page, assets, references, findings);
}

export const pageEndpoints: readonly Endpoint<SiteServices>[] = [
  {
    ...SITES,
    method: 'get',
    path: PATH,
    operation: 'list_pages',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'The pages of a website',
    description: FREE,
    requestParams: { path: scanPath, query: pageFilters },
    responses: { '200': jsonResponse('The pages.', z.object({ pages: z.array(pageRecord), ...pageFields })) },
    handle: list,
  },
  {
    ...SITES,
    method: 'get',
    path: `${PATH}/{seq}`,
    operation: 'read_page',
    errors: [...SITES_ERRORS, 'not_found'],
    summary: 'A page with every image that it uses',
    description: FREE,
    requestParams: { path: pagePath },
    responses: { '200': jsonResponse('The page.', pageDetail) },
    handle: read,
  },
];
