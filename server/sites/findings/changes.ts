/** What has changed since the previous scan of the project (spec/shapes.md, section 17.1, `changes`). */
import { setImmediate } from 'node:timers/promises';
import type { ScanContext } from '../runner/context.ts';

const ASSETS_AT_ONCE = 2000;

/** Does nothing where there is no previous scan any more. */
export async function noteChanges({
  scan,
  services: { database },
  signal,
}: Pick<ScanContext, 'scan' | 'services' | 'signal'>): Promise<void> {
  const { id, previousScanId } = scan;
  if (previousScanId === null || !(await database.siteScans.find(previousScanId))) return;
  const differences = async (scanId: string, otherId: string) => {
    const sum = { assetsNew: 0, assetsChanged: 0, issuesNew: 0 };
    const last = await database.siteAssessment.lastAsset(scanId);
    for (let first = 1; first <= last; first += ASSETS_AT_ONCE) {
      signal.throwIfAborted();
      const found = await database.siteAssessment.difference(scanId, otherId, first, first + ASSETS_AT_ONCE - 1);
      sum.assetsNew += found.assetsNew;
      sum.assetsChanged += found.assetsChanged;
      sum.issuesNew += found.issuesNew;
      await setImmediate();
    }
    return sum;
  };
  const since = await differences(id, previousScanId);
  const before = await differences(previousScanId, id);
  const [now, then] = await Promise.all([id, previousScanId].map((each) => database.siteAssessment.assetCounts(each)));
  const changes = {
    assets_new: since.assetsNew,
    assets_gone: before.assetsNew,
    assets_changed: since.assetsChanged,
    bytes_delta: now!.bytesOriginal - then!.bytesOriginal,
    issues_new: since.issuesNew,
    issues_fixed: before.issuesNew,
  };
  await database.siteScans.change(id, { changes: JSON.stringify(changes) });
}
