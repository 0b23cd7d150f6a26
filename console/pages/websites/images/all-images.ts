/** Sums over the images of a scan. The API only lists single images. */
import type { Scans } from '../../../../client/scans.ts';
import type { AssetKind, SiteAsset } from '../types.ts';

export interface KindSum {
  kind: AssetKind;
  images: number;
  before: number;
  saved: number;
}

export interface ImageSums {
  kinds: KindSum[];
  /** Bytes to save, by finding code. Two findings may count the same bytes. */
  savings: ReadonlyMap<string, number>;
  /** Number of images that were summed, at most `total`. */
  images: number;
  total: number;
}

const PAGE_SIZE = 500;
/** Limits the loading time. The images with the largest savings come first. */
const MAX_IMAGES = 2000;

export async function sumAllImages(
  scans: Pick<Scans, 'listAssets'>,
  scanId: string,
  signal: AbortSignal,
): Promise<ImageSums> {
  const assets: SiteAsset[] = [];
  for (;;) {
    const part = await scans.listAssets(scanId, { limit: PAGE_SIZE, offset: assets.length }, { signal });
    assets.push(...part.assets);
    if (part.assets.length === 0 || assets.length >= Math.min(part.total, MAX_IMAGES))
      return { ...sumAssets(assets), images: assets.length, total: part.total };
  }
}

type Summed = Pick<SiteAsset, 'kind' | 'bytes' | 'bytes_saved' | 'mapped' | 'findings'>;

/** Excludes data URIs, as the scan's totals do: they are part of a page and not requested as files. */
export function sumAssets(assets: readonly Summed[]): Pick<ImageSums, 'kinds' | 'savings'> {
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
