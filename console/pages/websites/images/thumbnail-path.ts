import { toServicePath } from '../../../ui/files.ts';
import { scanPath } from '../paths.ts';
import type { SiteAsset } from '../types.ts';

/** Larger originals are not downloaded for a thumbnail. */
const MAX_ORIGINAL_BYTES = 3_000_000;

type ThumbnailAsset = Pick<SiteAsset, 'seq' | 'kind' | 'status' | 'bytes' | 'optimized' | 'variants'>;

/** Returns the path of the smallest file that shows an image, or undefined if there is none. */
export function thumbnailPath(
  scanId: string,
  { seq, kind, status, bytes, optimized, variants }: ThumbnailAsset,
): string | undefined {
  const outputs = [...(optimized ? [optimized] : []), ...variants].sort((a, b) => a.bytes - b.bytes);
  if (outputs[0]) return toServicePath(outputs[0].url);
  const isThere = status !== 'failed' && status !== 'found' && kind !== 'data_uri' && kind !== 'unknown';
  if (!isThere || bytes === null || bytes > MAX_ORIGINAL_BYTES) return undefined;
  return `${scanPath(scanId, 'assets', seq, 'file')}?which=original`;
}
