/** Files of website scans: those of an image and those of the package (docs/spec/shapes.md, sections 17.4 and 17.7). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { invalidParameter } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { DOWNLOADS, downloadPath } from '../../replacement-package/layout.ts';
import type { SiteAsset } from '../../storage/records/site-assets.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { fileRequestHeaders, fileResponses, type SentFile, sendFile, storedContent } from '../files/send.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readQuery } from '../http/query.ts';
import { assetPath, FREE, SITES, SITES_ERRORS, scanOf, scanPath } from './access.ts';
import { ASSETS_PATH, assetOf } from './asset-endpoints.ts';
import { conflicting, partNotFound, scanExpired } from './errors.ts';
import { fetchOriginal } from './original.ts';
import { isExpired } from './records/scan.ts';
import type { SiteServices } from './services.ts';

const fileQuery = z.strictObject({
  which: z
    .enum(['optimized', 'variant', 'candidate', 'original'])
    .default('optimized')
    .meta({ description: 'original: fetched from the website, and not stored.' }),
  id: described(z.string().optional(), 'Of the variant or the candidate.', 'w800'),
  download: z.boolean().default(false).meta({ description: 'To be saved instead of shown.' }),
});
const fileQueryDecoder = createDecoder(fileQuery);
type FileQuery = z.output<typeof fileQuery>;

async function sendAssetFile(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const asked = readQuery(ctx, fileQueryDecoder);
  checkId(asked);
  const scan = await scanOf(ctx, services, caller);
  const asset = await assetOf(ctx, services, scan.id);
  if (asked.which === 'original') await sendOriginal(ctx, services, caller, asset, asked.download);
  else await sendOutput(ctx, services, scan, asset, asked);
}

function checkId({ which, id }: FileQuery): void {
  const needsId = which === 'variant' || which === 'candidate';
  if (needsId && id === undefined) throw invalidParameter(`the id of a ${which}`, 'id', undefined);
  if (!needsId && id !== undefined) throw conflicting('id', `with which=${which}`);
}

async function sendOutput(
  ctx: Context,
  services: SiteServices,
  scan: SiteScan,
  asset: SiteAsset,
  { which, id = asset.chosen ?? undefined, download }: FileQuery,
): Promise<void> {
  const outputs = await services.database.siteInventory.outputs(scan.id, [asset.seq]);
  const output = outputs.find((each) => each.id === id && (which === 'optimized' || each.kind === which));
  if (!output) throw partNotFound('a result that this image has', which === 'optimized' ? 'which' : 'id', id ?? which);
  const { filename } = output;
  await send(ctx, { ...(await storedFile(services, scan, output.fileId)), filename, isDownload: download }, REVALIDATE);
}

/** The file at an address may be replaced later, so caches must revalidate before using it. */
const REVALIDATE = 'private, no-cache';

/** @param caching the `Cache-Control` header of a successful response */
async function send(ctx: Context, file: SentFile, caching: string): Promise<void> {
  await sendFile(ctx, file);
  if (ctx.status < 400) ctx.set('Cache-Control', caching);
}

/** Finds a stored file of a scan. @throws Failure `expired` */
async function storedFile(
  { results, now }: SiteServices,
  scan: SiteScan,
  fileId: string,
): Promise<Omit<SentFile, 'isDownload'>> {
  if (isExpired(scan, now())) throw scanExpired();
  const file = await results.find(scan.accountId, fileId);
  return {
    ...file,
    secondsLeft: (Date.parse(scan.expiresAt ?? file.expiresAt) - now()) / 1000,
    ...storedContent(results, file),
  };
}

async function sendOriginal(
  ctx: Context,
  services: SiteServices,
  { account, key }: Caller,
  asset: SiteAsset,
  isDownload: boolean,
): Promise<void> {
  if (asset.kind === 'data_uri') throw partNotFound('an image with an address', 'seq', asset.seq);
  const room = services.uploads.open(account.id);
  ctx.res.once('close', () => room.release());
  const maxBytes = services.plans.fileLimitBytes(account, key);
  const signal = clientSignal(ctx.res);
  try {
    const file = await fetchOriginal(services, asset, { maxBytes, room, signal });
    // Not stored by caches: the next request must show the original as it is then.
    await send(ctx, isDownload ? { ...file, isDownload } : file, 'no-store');
  } catch (error) {
    // If the client has disconnected, only the abort is reported.
    signal.throwIfAborted();
    throw error;
  }
}

async function sendDownload(ctx: Context, services: SiteServices, caller: Caller): Promise<void> {
  const scan = await scanOf(ctx, services, caller);
  const name = ctx.params.name!;
  const download = await services.database.siteDownloads.find(scan.id, name);
  if (!download) throw partNotFound('the name of a file that was built of this scan', 'name', name);
  await send(ctx, await storedFile(services, scan, download.fileId), REVALIDATE);
}

export const siteFileEndpoints: readonly Endpoint<SiteServices>[] = [
  {
    ...SITES,
    method: 'get',
    path: `${ASSETS_PATH}/{seq}/file`,
    operation: 'download_asset',
    errors: [
      ...SITES_ERRORS,
      'not_found',
      'expired',
      'conflicting_parameters',
      'url_not_allowed',
      'url_fetch_failed',
      'file_too_large',
      'overloaded',
    ],
    summary: 'The optimized file of an image, another result of it, or its original',
    description: FREE,
    requestParams: { path: assetPath, query: fileQuery, header: fileRequestHeaders },
    responses: fileResponses,
    handle: sendAssetFile,
  },
  {
    ...SITES,
    method: 'get',
    path: downloadPath('{id}', '{name}'),
    operation: 'download_scan',
    errors: [...SITES_ERRORS, 'not_found', 'expired', 'overloaded'],
    summary: 'A file of the package of a scan, or the package itself',
    description: `\`downloads\` of the scan has the addresses. ${FREE}`,
    requestParams: {
      path: scanPath.extend({
        name: z.string().meta({ description: 'Name of the file.', examples: [DOWNLOADS.mappingJson] }),
      }),
      header: fileRequestHeaders,
    },
    responses: fileResponses,
    handle: sendDownload,
  },
];
