/** Sums over the images of a scan, which the interface gives image by image. */
import type { Scans } from '../../../../../../client/scans.ts';
import type { AssetKind, SiteAsset } from '../records.ts';

export interface KindSum {
  kind: AssetKind;
  images: number;
  before: number;
  saved: number;
}

export interface ImageSums {
  kinds: KindSum[];
  /** Bytes to be saved by code of finding; those of two findings may be the same bytes. */
  savings: ReadonlyMap<string, number>;
  /** Images that were looked at, of all. */
  images: number;
  total: number;
}

const LIMIT = 500;
/** More would be waited for too long: the largest savings come first. */
const MOST = 2000;

export async function sumImages(
  scans: Pick<Scans, 'listAssets'>,
  scanId: string,
  signal: AbortSignal,
): Promise<ImageSums> {
  const assets: SiteAsset[] = [];
  for (;;) {
    const part = await scans.listAssets(scanId, { limit: LIMIT, offset: assets.length }, { signal });
    assets.push(...part.assets);
    if (part.assets.length === 0 || assets.length >= Math.min(part.total, MOST))
      return { ...sumsOf(assets), images: assets.length, total: part.total };
  }
}

type Summed = Pick<SiteAsset, 'kind' | 'bytes' | 'bytes_saved' | 'mapped' | 'findings'>;

/** As in the totals of the scan: what is inside a page is no file that is sent. */
export function sumsOf(assets: readonly Summed[]): Pick<ImageSums, 'kinds' | 'savings'> {
  const kinds = new Map<AssetKind, KindSum>();
  const savings = new Map<string, number>();
  for (const { kind, bytes, bytes_saved, mapped, findings } of assets) {
    for (const { code, savings_bytes } of findings)
      if (savings_bytes) savings.set(code, (savings.get(code) ?? 0) + savings_bytes);
    if (bytes === null || kind === 'data_uri') continue;
    const sum = kinds.get(kind) ?? { kind, images: 0, before: 0, saved: 0 };
    sum.images += 1;
    sum.before += bytes;
    sum.saved += mapped ? bytes_saved : 0;
    kinds.set(kind, sum);
  }
  return { kinds: [...kinds.values()].sort((a, b) => b.before - a.before), savings };
}
