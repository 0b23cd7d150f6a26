/** What the images of each page weigh and lack (spec/shapes.md, section 16.6), and on how many pages each image is. */
import { setImmediate } from 'node:timers/promises';
import type { PageSummary, PageUse } from '../../../storage/repositories/site-assessment.ts';
import type { ScanContext } from '../runner/context.ts';

const PAGES_AT_ONCE = 100;
const ASSETS_AT_ONCE = 1000;

/** Image bytes of a page over which it needs attention. */
const HEAVY_PAGE = 1_500_000;

export async function summarizePages({
  scan: { id: scanId },
  services: { database },
  signal,
}: Pick<ScanContext, 'scan' | 'services' | 'signal'>): Promise<void> {
  const onPages = new Uint32Array((await database.siteAssessment.lastAsset(scanId)) + 1);
  const lastPage = await database.siteAssessment.lastPage(scanId);
  for (let first = 1; first <= lastPage; first += PAGES_AT_ONCE) {
    signal.throwIfAborted();
    const use = await database.siteAssessment.pageUse(scanId, first, first + PAGES_AT_ONCE - 1);
    for (const { assetSeq, pages } of use.assets) onPages[assetSeq]! += pages;
    await database.transaction(async ({ siteAssessment }) => {
      for (const summary of summaries(use)) await siteAssessment.setPageSummary(scanId, summary);
    });
    await setImmediate();
  }
  await database.siteAssessment.summarizeFailedPages(scanId);
  for (let first = 1; first < onPages.length; first += ASSETS_AT_ONCE) {
    signal.throwIfAborted();
    await database.transaction(async ({ siteAssessment }) => {
      for (let seq = first; seq < Math.min(first + ASSETS_AT_ONCE, onPages.length); seq += 1)
        await siteAssessment.setAssetPages(scanId, seq, onPages[seq]!);
    });
    await setImmediate();
  }
}

function summaries({ pages, loads, issues }: PageUse): PageSummary[] {
  const loadOf = new Map(loads.map((load) => [load.pageSeq, load]));
  const issuesOf = new Map<number, Record<string, number>>();
  for (const { pageSeq, code, assets } of issues) issuesOf.set(pageSeq, { ...issuesOf.get(pageSeq), [code]: assets });
  return pages.map(({ pageSeq, needsJavascript, assets, references, replaced, open }) => {
    const { requests = 0, bytes = 0, bytesSaved = 0, heaviestAssetSeq = null } = loadOf.get(pageSeq) ?? {};
    const found = issuesOf.get(pageSeq) ?? {};
    const attention = [
      ...(found['broken'] ? ['broken_assets'] : []),
      ...(bytes > HEAVY_PAGE ? ['heavy'] : []),
      ...(needsJavascript ? ['needs_javascript'] : []),
      ...(found['gps_metadata'] ? ['privacy'] : []),
    ];
    return {
      seq: pageSeq,
      assets,
      references,
      imageRequests: requests,
      imageBytes: bytes,
      optimizedBytes: bytes - bytesSaved,
      bytesSaved,
      heaviestAssetSeq,
      issues: JSON.stringify(found),
      attention: JSON.stringify(attention),
      optimization: stateOf(replaced, open),
    };
  });
}

function stateOf(replaced: number, open: number): PageSummary['optimization'] {
  if (replaced === 0) return open === 0 ? 'not_needed' : 'none';
  return open === 0 ? 'complete' : 'partial';
}
