/** The assessment of a scan: what is wrong with its images, and what follows for its pages and for the scan. */
import type { ScanContext } from '../runner/context.ts';
import { refreshTotals } from './totals.ts';

/** May be run again at any time: what was there is replaced. */
export async function assess(context: ScanContext): Promise<void> {
  context.signal.throwIfAborted();
  await refreshTotals(context);
}
