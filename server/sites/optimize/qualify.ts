/** Which images are converted, and why the others are not (spec/shapes.md, sections 16.3 and 16.4). */
import { FORMATS, type FormatId } from '../../../codecs/formats.ts';
import type { SiteAsset } from '../../../storage/repositories/site-outputs.ts';
import type { AssetSkipReason } from '../../../storage/schema.ts';
import { type MatchPaths, matchedBy } from '../patterns.ts';
import type { SiteScanSettings } from '../settings.ts';

/** What browsers of today ask for already. */
const MODERN: ReadonlySet<string | null> = new Set(['webp', 'avif', 'jxl']);

export interface Qualification {
  settings: SiteScanSettings;
  isOwn: (url: string) => boolean;
  match: MatchPaths;
}

/** Why assets are not converted, if they are not: of those that are named here, as they are or as they have become meanwhile. */
export async function skipReasons(
  assets: readonly SiteAsset[],
  { settings, isOwn, match }: Qualification,
): Promise<(asset: SiteAsset) => AssetSkipReason | undefined> {
  const lists = [{ patterns: settings.asset_exclude, param: 'asset_exclude' }];
  const urls = [...new Set(assets.filter(({ kind }) => kind !== 'data_uri').map(({ url }) => url))];
  const [excluded] = await matchedBy(lists, urls, match);
  return (asset) => skipReasonOf(asset, { settings, isOwn, excluded: excluded! });
}

function skipReasonOf(
  asset: SiteAsset,
  { settings, excluded, isOwn }: Omit<Qualification, 'match'> & { excluded: ReadonlySet<string> },
): AssetSkipReason | undefined {
  const { kind, format, animated } = asset;
  if (asset.sha256 === null) return 'no_gain';
  if (asset.approval === 'rejected') return 'rejected';
  if (kind === 'data_uri' || excluded.has(asset.url)) return 'excluded';
  if (!isOwn(asset.url)) return 'third_party';
  if (asset.negotiated === 1) return 'already_negotiated';
  // Drawn as pixels it would lose what it is for.
  if (kind === 'vector') return settings.optimize_svg ? undefined : 'vector';
  if (MODERN.has(format) && !(format === 'webp' && settings.recompress_webp)) return 'already_webp';
  if (kind !== 'raster' && kind !== 'animation') return 'no_gain';
  // An animation that only its first picture is read of would be lost.
  if (animated === 1 && !(FORMATS[format as FormatId] as { animation?: true }).animation) return 'no_gain';
  return undefined;
}
