/**
 * Computes what has changed since the previous scan of the project (docs/spec/shapes.md, section 17.1, `changes`). Only
 * pages that both scans have read are compared: nothing is known about the others, and a scan of part of a site does
 * not fix the rest.
 */
import { setImmediate } from 'node:timers/promises';
import type { ScanDifference, SharedParts } from '../../../storage/ports/site-assessment.ts';
import type { ScanContext } from '../runner/context.ts';

const ASSETS_AT_ONCE = 2000;

type Context = Pick<ScanContext, 'scan' | 'services' | 'signal'>;

/** Does nothing when the previous scan no longer exists. Stores null when no page was read by both scans. */
export async function storeChanges(context: Context): Promise<void> {
  const { database } = context.services;
  const { id, previousScanId } = context.scan;
  if (previousScanId === null || !(await database.siteScans.find(previousScanId))) return;
  const since = await differences(context, id, previousScanId);
  const before = await differences(context, previousScanId, id);
  const changes = since &&
    before && {
      assets_new: since.assetsNew,
      assets_gone: before.assetsNew,
      assets_changed: since.assetsChanged,
      bytes_delta: since.bytes - before.bytes,
      issues_new: since.issuesNew,
      issues_fixed: before.issuesNew,
    };
  await database.siteScans.change(id, { changes: changes ? JSON.stringify(changes) : null });
}

/** What one scan has on the shared pages and the other does not; undefined when they share no pages. */
async function differences(
  { services: { database }, signal }: Context,
  scanId: string,
  otherId: string,
): Promise<ScanDifference | undefined> {
  const { siteAssessment } = database;
  const pages = await siteAssessment.scannedPages(scanId, otherId);
  if (pages.length === 0) return undefined;
  const sources = await siteAssessment.liveSources(scanId, otherId);
  const parts: SharedParts = { pages: JSON.stringify(pages), sources: JSON.stringify(sources) };
  const sum: ScanDifference = { bytes: 0, assetsNew: 0, assetsChanged: 0, issuesNew: 0 };
  const last = await siteAssessment.lastAsset(scanId);
  for (let first = 1; first <= last; first += ASSETS_AT_ONCE) {
    signal.throwIfAborted();
    const range = { first, last: first + ASSETS_AT_ONCE - 1 };
    const found = await siteAssessment.difference(scanId, otherId, parts, range);
    for (const name of Object.keys(sum) as (keyof ScanDifference)[]) sum[name] += found[name];
    await setImmediate();
  }
  return sum;
}
