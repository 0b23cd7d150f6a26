/**
 * Recounts those totals that the owner of a scan can change. The other totals take long to count for a large website
 * and are kept.
 */
import type { Repositories } from '../../storage/ports/database.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { percentOf } from './findings/totals.ts';
import { totalsOf } from './records/scan.ts';

export async function recountedPages({ siteAssessment }: Repositories, scan: SiteScan): Promise<string> {
  const { pagesSelected, pagesOverLimit } = await siteAssessment.pageCounts(scan.id);
  return JSON.stringify({ ...totalsOf(scan), pages_selected: pagesSelected, pages_over_limit: pagesOverLimit });
}

export async function recountedAssets({ siteAssessment }: Repositories, scan: SiteScan): Promise<string> {
  const { assetsMapped, bytesOriginal, bytesSaved } = await siteAssessment.assetCounts(scan.id);
  return JSON.stringify({
    ...totalsOf(scan),
    assets_mapped: assetsMapped,
    bytes_optimized: bytesOriginal - bytesSaved,
    bytes_saved: bytesSaved,
    saved_percent: percentOf(bytesSaved, bytesOriginal),
  });
}
