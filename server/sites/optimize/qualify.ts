/** Which images are converted, and why the others are not (spec/shapes.md, sections 16.3 and 16.4). */
import { FORMATS, type FormatId } from '../../../codecs/formats.ts';
import type { SiteAsset } from '../../../storage/repositories/site-outputs.ts';
import type { AssetSkipReason } from '../../../storage/schema.ts';
import type { PathPatterns } from '../patterns.ts';
import type { SiteScanSettings } from '../settings.ts';

/** What browsers of today ask for already. */
const MODERN: ReadonlySet<string | null> = new Set(['webp', 'avif', 'jxl']);

export interface Qualification {
  settings: SiteScanSettings;
  excluded: PathPatterns;
  isOwn: (url: string) => boolean;
}

/** Undefined for an image that is to be converted. */
export function skipReasonOf(
  asset: SiteAsset,
  { settings, excluded, isOwn }: Qualification,
): AssetSkipReason | undefined {
  const { kind, format, animated } = asset;
  if (asset.sha256 === null) return 'no_gain';
  if (asset.approval === 'rejected') return 'rejected';
  if (kind === 'data_uri' || excluded.matches(asset.url)) return 'excluded';
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
