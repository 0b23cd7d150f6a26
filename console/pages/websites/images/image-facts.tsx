import { to } from '../../../shell/router.ts';
import { bytesText } from '../../../ui/format.ts';
import { Facts } from '../facts.tsx';
import { ASSET_KINDS, ASSET_STATUSES, pluralize } from '../labels.ts';
import type { SiteAssetDetail } from '../types.ts';

export interface ImageFactsProps {
  asset: SiteAssetDetail;
  scanId: string;
}

export function ImageFacts({ asset, scanId }: ImageFactsProps) {
  const { kind, status, format, bytes, width, height, frames, largest_displayed: shown } = asset;
  const { pages, references, roles, cache_control, duplicate_of, replacement, optimized, saved_percent } = asset;
  const facts: [string, string | undefined][] = [
    ['State', ASSET_STATUSES[status].label],
    ['Kind', `${ASSET_KINDS[kind]}${format === null ? '' : `, ${format}`}`],
    ['Bytes', bytes === null ? undefined : bytesText(bytes)],
    ['New file', optimized ? `${bytesText(optimized.bytes)}, ${saved_percent}% less` : undefined],
    ['Looks the same', optimized?.similarity == null ? undefined : `${(100 * optimized.similarity).toFixed(1)}%`],
    ['Size', width === null ? undefined : `${width} × ${height} pixels`],
    ['Frames', frames !== null && frames > 1 ? String(frames) : undefined],
    ['Largest on a page', shown?.width == null ? undefined : `${shown.width} × ${shown.height ?? '?'} pixels`],
    ['Named', `${pluralize(references, 'time')} on ${pluralize(pages, 'page')}`],
    ['As', roles.map((role) => role.replaceAll('_', ' ')).join(', ') || undefined],
    ['Kept by browsers', cache_control ?? undefined],
    ['New address', replacement?.to_path],
  ];
  return (
    <section class="card" aria-label="Facts">
      <h3>Facts</h3>
      <Facts facts={facts} />
      {duplicate_of !== null && (
        <p>
          The same file as <a href={to(['websites', scanId, 'images', String(duplicate_of)])}>image {duplicate_of}</a>.
        </p>
      )}
    </section>
  );
}
