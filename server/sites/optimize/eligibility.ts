/** Decides which images are converted, and why the others are not (docs/spec/shapes.md, sections 16.3 and 16.4). */
import { findFormat } from '../../../codecs/formats/registry.ts';
import type { AssetSkipReason, SiteAsset } from '../../../storage/records/site-assets.ts';
import { type MatchPaths, matchedBy } from '../patterns.ts';
import type { SiteScanSettings } from '../settings.ts';

export interface EligibilityRules {
  settings: SiteScanSettings;
  isOwn: (url: string) => boolean;
  match: MatchPaths;
}

/**
 * Returns a function that gives the reason why an asset is not converted. It accepts the given assets in their present
 * or a newer state.
 */
export async function skipReasons(
  assets: readonly SiteAsset[],
  { settings, isOwn, match }: EligibilityRules,
): Promise<(asset: SiteAsset) => AssetSkipReason | undefined> {
  const lists = [{ patterns: settings.asset_exclude, param: 'asset_exclude' }];
  const urls = [...new Set(assets.filter(({ kind }) => kind !== 'data_uri').map(({ url }) => url))];
  const [excluded] = await matchedBy(lists, urls, match);
  return (asset) => skipReasonOf(asset, { settings, isOwn, excluded: excluded! });
}

function skipReasonOf(
  asset: SiteAsset,
  { settings, excluded, isOwn }: Omit<EligibilityRules, 'match'> & { excluded: ReadonlySet<string> },
): AssetSkipReason | undefined {
  const { kind, format, animated } = asset;
  if (asset.sha256 === null) return 'no_gain';
  if (asset.approval === 'rejected') return 'rejected';
  if (kind === 'data_uri' || excluded.has(asset.url)) return 'excluded';
  if (!isOwn(asset.url)) return 'third_party';
  if (asset.negotiated === 1) return 'already_negotiated';
  // Rasterizing a vector image would defeat its purpose.
  if (kind === 'vector') return settings.optimize_svg ? undefined : 'vector';
  if (findFormat(format)?.web?.age === 'modern' && !(format === 'webp' && settings.recompress_webp))
    return 'already_webp';
  if (kind !== 'raster' && kind !== 'animation') return 'no_gain';
  // For an animation of which only the first frame can be read, the rest would be lost.
  if (animated === 1 && !findFormat(format)?.animation) return 'no_gain';
  return undefined;
}
