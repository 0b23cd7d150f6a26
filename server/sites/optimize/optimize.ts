/** The conversion of the images of a scan (spec/shapes.md, section 16.4). */
import type { ScanContext } from '../runner/context.ts';

/** Asks for every image that can be converted: what `optimize` does next without further orders. */
export async function markWanted({ scan, services }: ScanContext): Promise<void> {
  await services.database.siteOutputs.markReadyAsWanted(scan.id);
}

/** Converts what is asked for. Ends when nothing is left. */
export async function optimize(context: ScanContext): Promise<void> {
  context.signal.throwIfAborted();
}
