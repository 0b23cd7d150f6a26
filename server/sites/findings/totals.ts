/** The totals of a scan (docs/spec/shapes.md, section 17.3). */
import type { ScanContext } from '../runner/context.ts';

/** Counts the present state of the scan and stores the totals with it. */
export async function refreshTotals({ scan, services: { database } }: Pick<ScanContext, 'scan' | 'services'>) {
  const { id } = scan;
  const counted = database.siteAssessment;
  const pages = await counted.pageCounts(id);
  const assets = await counted.assetCounts(id);
  const references = await counted.referenceCount(id);
  const issues = await counted.issues(id);
  const present = await database.siteScans.find(id);
  if (!present) return;
  const { bytesOriginal, bytesSaved } = assets;
  const totals = {
    pages_found: pages.pagesFound,
    pages_selected: pages.pagesSelected,
    pages_scanned: pages.pagesScanned,
    pages_failed: pages.pagesFailed,
    pages_skipped: pages.pagesSkipped,
    pages_over_limit: pages.pagesOverLimit,
    references,
    assets: assets.assets,
    assets_unique: assets.assetsUnique,
    assets_optimized: assets.assetsOptimized,
    assets_mapped: assets.assetsMapped,
    assets_skipped: assets.assetsSkipped,
    assets_failed: assets.assetsFailed,
    bytes_original: bytesOriginal,
    bytes_optimized: bytesOriginal - bytesSaved,
    bytes_saved: bytesSaved,
    saved_percent: percentOf(bytesSaved, bytesOriginal),
    issues,
    requests_charged: present.requestsCharged,
    package_pages_charged: present.packagePagesCharged,
  };
  await database.siteScans.change(id, { totals: JSON.stringify(totals) });
}

/** Adds warnings that its pages and images cause to the scan. */
export async function addWarnings({ scan, services: { database } }: Pick<ScanContext, 'scan' | 'services'>) {
  const { needsJavascript, overLimit, thirdParty } = await database.siteAssessment.concerns(scan.id);
  const warnings = [
    ...(needsJavascript ? ['needs_javascript'] : []),
    ...(overLimit ? ['over_limit'] : []),
    ...(thirdParty ? ['external_skipped'] : []),
  ];
  for (const warning of warnings) await database.siteCrawl.warn(scan.id, warning);
}

/** Lighthouse's slow 4G, in bits per second (docs/spec/shapes.md, section 16.6). */
const SLOW_4G = 1_638_400;

/** Seconds to transfer bytes over a slow mobile connection, rounded to a tenth. */
export const secondsOnSlow4g = (bytes: number): number => Math.round((bytes * 80) / SLOW_4G) / 10;

/** Percentage, rounded to a tenth. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10;
