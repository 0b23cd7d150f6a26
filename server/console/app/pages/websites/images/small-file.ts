import { pathOf } from '../../../ui/path-of.ts';
import { scanPath } from '../paths.ts';
import type { SiteAsset } from '../records.ts';

/** Larger originals are not downloaded for a thumbnail. */
const MOST_BYTES = 3_000_000;

type Shown = Pick<SiteAsset, 'seq' | 'kind' | 'status' | 'bytes' | 'optimized' | 'variants'>;

/** Returns the path of the smallest file that shows an image, or undefined if there is none. */
export function smallFile(
  scanId: string,
  { seq, kind, status, bytes, optimized, variants }: Shown,
): string | undefined {
  const outputs = [...(optimized ? [optimized] : []), ...variants].sort((a, b) => a.bytes - b.bytes);
  if (outputs[0]) return pathOf(outputs[0].url);
  const isThere = status !== 'failed' && status !== 'found' && kind !== 'data_uri' && kind !== 'unknown';
  if (!isThere || bytes === null || bytes > MOST_BYTES) return undefined;
  return `${scanPath(scanId, 'assets', seq, 'file')}?which=original`;
}
