/** Tools that read website scans (docs/spec/shapes.md, section 18.3). All are free of charge. */
import { z } from 'zod';
import { Failure } from '../../base/failure.ts';
import { fieldsArgument, listFields, listState, listText, sliceFields, withFields } from '../../mcp/lists.ts';
import type { AnyTool } from '../../mcp/tool.ts';
import { replacementSchema } from '../../replacement-package/replacement.ts';
import { dateTime } from '../http/record.ts';
import { findProjectScan } from '../sites/access.ts';
import { assetRecords } from '../sites/asset-endpoints.ts';
import { scanExpired } from '../sites/errors.ts';
import { assetFilters, pageFilters, selectAssets, selectPages } from '../sites/filters.ts';
import { packageIdOf } from '../sites/package/build.ts';
import { type AssetRecord, assetRecord } from '../sites/records/asset.ts';
import { describePage, pageRecord } from '../sites/records/page.ts';
import { isExpired, scanRecord } from '../sites/records/scan.ts';
import { readProjects, recordOf } from '../sites/scan-endpoints.ts';
import { AGENTS, agentPrompt, localServer } from './agent-prompt.ts';
import type { HostedToolContext } from './context.ts';
import { replacementFields, replacementList } from './replacements.ts';
import { READ_ONLY_ANNOTATIONS, scanId, siteTool } from './site-tool.ts';

const MAX_PROJECTS = 50;

const listScans = siteTool('list_scans', {
  name: 'list_website_scans',
  title: 'List website scans',
  description: `The websites of the account, at most ${MAX_PROJECTS}, each with its last 20 scans. The website that was scanned last comes first. Free of charge.`,
  input: z.strictObject({}),
  output: z.object({
    projects: z.array(
      z.object({
        project_id: z.string(),
        name: z.string().nullable(),
        domain: z.string(),
        scans: z.array(
          z.object({
            scan_id: z.string(),
            status: scanRecord.shape.status,
            created_at: dateTime(),
            finished_at: dateTime().nullable(),
            pages: z.int().meta({ description: 'That were scanned.' }),
            assets: z.int().meta({ description: 'Images, by address.' }),
            bytes_saved: z.int(),
          }),
        ),
      }),
    ),
    total: z.int().meta({ description: 'Websites of the account, listed or not.' }),
  }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run(_args, { services, caller }) {
    const { projects: found, total } = await readProjects(services, caller, { limit: MAX_PROJECTS, offset: 0 });
    const projects = found.map(({ id, name, domain, scans }) => ({
      project_id: id,
      name,
      domain,
      scans: scans.map(({ id, status, created_at, finished_at, totals: { pages_scanned, assets, bytes_saved } }) => ({
        scan_id: id,
        status,
        created_at,
        finished_at,
        pages: pages_scanned,
        assets,
        bytes_saved,
      })),
    }));
    return {
      structured: { projects, total },
      text: total === 0 ? 'No website has been scanned.' : `These are ${projects.length} of ${total} websites.`,
    };
  },
});

const getScan = siteTool('read_scan', {
  name: 'get_website_scan',
  title: 'Read a website scan',
  description: 'A scan with its progress, totals, findings and downloads. Free of charge.',
  input: z.strictObject({ scan_id: scanId }),
  output: z.object({ scan: scanRecord }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ scan_id }, { services, caller }) {
    const scan = await recordOf(await findProjectScan(services, caller, scan_id), services);
    const { id, domain, status, totals } = scan;
    return {
      structured: { scan },
      text: `${id} of ${domain} is ${status}: ${totals.pages_scanned} pages, ${totals.assets} images, ${totals.assets_mapped} replaced, ${totals.bytes_saved} bytes saved (${totals.saved_percent}%).`,
    };
  },
});

const listPages = siteTool('list_pages', {
  name: 'list_website_pages',
  title: 'List the pages of a scan',
  description: 'The pages that a scan has found, in the order of their numbers. Free of charge.',
  input: z.strictObject({
    scan_id: scanId,
    status: pageFilters.shape.status,
    search: pageFilters.shape.q,
    fields: fieldsArgument(Object.keys(pageRecord.shape)),
    ...sliceFields(),
  }),
  output: z.object({ scan_id: z.string(), pages: z.array(pageRecord), ...listFields }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ scan_id, status, search, fields, ...slice }, { services, caller }) {
    const { filter, slice: part } = selectPages({ ...pageFilters.parse(slice), status, q: search });
    const { id } = await services.scans.find(caller.account.id, scan_id);
    const { pages, total } = await services.database.siteInventory.pages(id, filter, part);
    const list = listState(slice, total);
    return {
      structured: { scan_id, ...list, pages: withFields(pages.map(describePage), fields) },
      text: listText('Pages', list),
      fields,
    };
  },
});

/** Fields that are not needed to replace images. */
const OMITTED_FIELDS = { candidates: true, cache_control: true, etag: true, last_modified: true } as const;
const listedAsset = assetRecord.omit(OMITTED_FIELDS).meta({
  id: 'SiteListedAsset',
  description: 'SiteAsset in /openapi.json, without candidates and cache fields',
});

function listed(record: AssetRecord): z.output<typeof listedAsset> {
  const { candidates: _candidates, cache_control: _control, etag: _etag, last_modified: _modified, ...rest } = record;
  return rest;
}

const listAssets = siteTool('list_assets', {
  name: 'list_website_assets',
  title: 'List the images of a scan',
  description:
    'The images that a scan has found, those that save most first, each with its findings and its chosen result. Asked for a finding, or for the field findings, it says page, line and markup of each. Free of charge.',
  input: z.strictObject({
    scan_id: scanId,
    kind: assetFilters.shape.kind,
    status: assetFilters.shape.status,
    finding: assetFilters.shape.issue,
    page: assetFilters.shape.page,
    search: assetFilters.shape.q,
    fields: fieldsArgument(Object.keys(listedAsset.shape)),
    ...sliceFields(),
  }),
  output: z.object({ scan_id: z.string(), assets: z.array(listedAsset), ...listFields }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ scan_id, kind, status, finding, page, search, fields, ...slice }, { services, caller }) {
    const query = { ...assetFilters.parse(slice), kind, status, issue: finding, page, q: search };
    const { filter, slice: part } = selectAssets(query, 'finding');
    const { id } = await services.scans.find(caller.account.id, scan_id);
    const { assets, total } = await services.database.siteInventory.assets(id, filter, part);
    const records = await assetRecords(services, id, assets);
    const list = listState(slice, total);
    return {
      structured: { scan_id, ...list, assets: withFields(records.map(listed), fields) },
      text: listText('Images', list),
      // A caller that filters by finding needs the places of the findings.
      fields: fields ?? (finding === undefined ? undefined : ['findings']),
    };
  },
});

const MAX_REPLACEMENTS = 500;

const getMapping = siteTool('read_mapping', {
  name: 'get_replacement_mapping',
  title: 'Read the replacement map of a scan',
  description:
    'What replaces what: from is the address of an image, raw how pages spell it, to its new file in the package, to_path where that is proposed to lie on the site. Empty until the scan is done, and when its package has expired. Free of charge.',
  input: z.strictObject({ scan_id: scanId, fields: replacementFields, ...sliceFields(MAX_REPLACEMENTS) }),
  output: z.object({
    scan_id: z.string(),
    status: scanRecord.shape.status,
    package_id: z.string().nullable().meta({ description: 'null: none is built.' }),
    built_at: dateTime().nullable(),
    replacements: z.array(replacementSchema),
    ...listFields,
  }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ scan_id, fields, ...slice }, { services, caller }) {
    const scan = await services.scans.find(caller.account.id, scan_id);
    const { status } = scan;
    const built_at = (await recordOf(scan, services)).downloads.built_at;
    const package_id = built_at === null ? null : packageIdOf(scan_id, built_at);
    const { hasPackage, replacements, list } = await replacementList(services, scan, slice);
    return {
      structured: { scan_id, status, package_id, built_at, ...list, replacements: withFields(replacements, fields) },
      text: hasPackage
        ? listText('Replacements', list)
        : `${scan_id} is ${status}: ${status === 'done' ? 'its package has expired.' : 'there are no replacements before it is done.'}`,
      fields,
    };
  },
});

const getAgentPrompt = siteTool('read_agent_prompt', {
  name: 'get_agent_prompt',
  title: 'Instructions for a coding agent',
  description:
    "How a coding agent puts the replacements of a scan into a website's source code, with the configuration of the local server for it. Free of charge.",
  input: z.strictObject({
    scan_id: scanId,
    agent: z.enum(AGENTS).default('generic').meta({ description: 'Who is to do it.' }),
  }),
  output: z.object({
    scan_id: z.string(),
    agent: z.enum(AGENTS),
    prompt: z.string(),
    local_server: z.object({ command: z.string(), args: z.array(z.string()) }),
    summary: z.object({ assets_mapped: z.int(), bytes_saved: z.int(), domain: z.string() }),
  }),
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ scan_id, agent }, { services, caller }) {
    const scan = await services.scans.find(caller.account.id, scan_id);
    if (isExpired(scan, services.now())) throw scanExpired();
    const { status, domain, totals } = await recordOf(scan, services);
    if (status !== 'done') throw notDone(status);
    const { assets_mapped, bytes_saved } = totals;
    const program = await services.localProgram();
    const local_server = localServer(program, services.baseUrl);
    const about = { scanId: scan_id, domain, mapped: assets_mapped, bytesSaved: bytes_saved };
    const prompt = agentPrompt(agent, local_server, program, about);
    return {
      structured: { scan_id, agent, prompt, local_server, summary: { assets_mapped, bytes_saved, domain } },
      text: `${assets_mapped} images of ${domain} have smaller files. Follow the prompt.`,
    };
  },
});

const notDone = (status: string): Failure =>
  new Failure('invalid_state', `Expected a scan that is done for scan_id but received one that is ${status}.`, {
    param: 'scan_id',
  });

export const websiteTools: readonly AnyTool<HostedToolContext>[] = [
  listScans,
  getScan,
  listPages,
  listAssets,
  getMapping,
  getAgentPrompt,
];
