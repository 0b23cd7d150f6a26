/** What endpoints about website scans require of their caller, and how they are documented. */
import { z } from 'zod';
import { type ErrorCode, invalidParameter } from '../../base/failure.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { testKeyNotAllowed } from '../account/errors.ts';
import { requireScope } from '../account/keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { positive } from '../http/record.ts';
import { partNotFound, scanNotFound } from './errors.ts';
import type { SiteServices } from './services.ts';

export const KEY_REQUIREMENT = 'Needs a live key with the scope `sites`.';
export const FREE = `Free of charge. ${KEY_REQUIREMENT}`;

/** Error codes that all endpoints about scans can return. */
export const SITES_ERRORS: readonly ErrorCode[] = ['scope_required', 'test_key_not_allowed'];

/** @throws Failure 403 `test_key_not_allowed` or `scope_required` */
export function requireSites({ key }: Caller): void {
  if (key.mode === 'test') throw testKeyNotAllowed('website scans');
  requireScope(key, 'sites');
}

/** What all endpoints about scans declare. */
export const SITES = {
  access: 'key',
  tags: ['Websites'],
  check: (_services: unknown, caller: Caller) => requireSites(caller),
  noStore: true,
} as const;

/** Finds the scan in a request's path. Runs of POST /sites/optimize are read the same way as scans. */
export const scanOf = async (ctx: Context, { scans }: SiteServices, { account }: Caller): Promise<SiteScan> =>
  await scans.find(account.id, ctx.params.id!);

/** Finds the scan in a request's path, excluding runs of POST /sites/optimize, which have paths of their own. */
export const projectScanOf = async (ctx: Context, services: SiteServices, caller: Caller): Promise<SiteScan> =>
  await findProjectScan(services, caller, ctx.params.id!);

/** Finds a scan by its id, excluding runs of POST /sites/optimize. @throws Failure `not_found` */
export async function findProjectScan({ scans }: SiteServices, { account }: Caller, id: string): Promise<SiteScan> {
  const scan = await scans.find(account.id, id);
  if (scan.projectId === null) throw scanNotFound(id);
  return scan;
}

const SEQ = /^[1-9][0-9]{0,9}$/;

/** Reads the number of a page or an image in a request's path. @throws Failure 400 or 404 */
export function seqOf(ctx: Context): number {
  const { seq = '' } = ctx.params;
  if (!/^[0-9]+$/.test(seq)) throw invalidParameter('a number', 'seq', seq);
  if (!SEQ.test(seq)) throw partNotFound('a number of this scan', 'seq', seq);
  return Number(seq);
}

export const scanPath = z.object({
  id: z.string().meta({ description: 'Id of the scan.', examples: ['scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});
export const pagePath = scanPath.extend({
  seq: positive('Number of the page.', 1),
});
export const assetPath = scanPath.extend({
  seq: positive('Number of the image.', 1),
});
