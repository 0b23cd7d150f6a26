/** Decides whether an image has a line in the replacement map (docs/spec/shapes.md, sections 16.2 to 16.4 and 17.7). */
import { rolesWithUse } from '../../../base/reference-roles.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import type { SiteOutput } from '../../../storage/records/site-outputs.ts';
import { MIN_SIMILARITY } from '../findings/content.ts';
import { isWorthwhile } from '../findings/savings.ts';
import type { SiteScanSettings } from '../settings.ts';

/** Roles of images that are loaded by crawlers, not all of which support WebP. */
const SOCIAL_ROLES: ReadonlySet<string> = new Set(rolesWithUse('crawled'));

export type MappedAsset = Pick<SiteAsset, 'url' | 'approval' | 'negotiated' | 'roles' | 'bytes' | 'format'>;

/** True when only crawlers are known to load the image. An image without any role could be loaded by anything. */
export function isOnlySocial({ roles }: Pick<SiteAsset, 'roles'>): boolean {
  const names = JSON.parse(roles) as string[];
  return names.length > 0 && names.every((name) => SOCIAL_ROLES.has(name));
}

/**
 * Decides whether an image is mapped.
 * @param output the chosen output; an image without one is not mapped
 * @param isOwn whether an address is on a host that belongs to the site
 */
export function isMapped(
  asset: MappedAsset,
  output: Pick<SiteOutput, 'bytes' | 'format' | 'similarity'> | null | undefined,
  settings: SiteScanSettings,
  isOwn: (url: string) => boolean,
): boolean {
  if (!output || asset.approval === 'rejected' || !isOwn(asset.url)) return false;
  if (asset.approval === 'approved') return true;
  const saved = (asset.bytes ?? 0) - output.bytes;
  return (
    asset.negotiated === 0 &&
    isWorthwhile(saved, asset.bytes ?? 0, settings) &&
    (output.similarity ?? 1) >= MIN_SIMILARITY &&
    (settings.map_social || output.format === asset.format || !isOnlySocial(asset))
  );
}
