import { to } from '../../../shell/router.ts';
import { Tag } from '../../../ui/feedback.tsx';
import { bytesText } from '../../../ui/format.ts';
import { findingText, SEVERITIES, SEVERITY_NAMES } from '../findings/texts.ts';
import { ASSET_SKIPS, ASSET_STATUSES, pluralize, shortAddress } from '../labels.ts';
import { SavedBar } from '../share-bar.tsx';
import type { Approval, SiteAsset, SiteScan } from '../types.ts';
import { canDecide, DecisionButtons, DecisionTag } from './decision-buttons.tsx';
import { decisionForKey } from './decisions.ts';
import { Thumbnail } from './thumbnail.tsx';

export interface ImageListProps {
  scan: SiteScan;
  assets: readonly SiteAsset[];
  ticked: ReadonlySet<number>;
  isBusy: boolean;
  onTick(seq: number, isOn: boolean): void;
  onDecide(seq: number, approval: Approval): void;
}

const THUMBNAIL_PX = 150;

export function ImageGrid({ assets, ...rest }: ImageListProps) {
  return (
    <ul class="image-grid">
      {assets.map((asset) => (
        <ImageCard key={asset.seq} asset={asset} {...rest} />
      ))}
    </ul>
  );
}

function ImageCard({
  asset,
  scan,
  ticked,
  isBusy,
  onTick,
  onDecide,
}: Omit<ImageListProps, 'assets'> & { asset: SiteAsset }) {
  const { seq, url } = asset;
  const name = shortAddress(url, scan.domain);
  return (
    <li
      class="card image-card"
      onKeyDown={(event) => {
        const decision = decisionForKey(event);
        if (decision && !isBusy && canDecide(asset)) onDecide(seq, decision);
      }}
    >
      <a href={to(['websites', scan.id, 'images', String(seq)])}>
        <Thumbnail scanId={scan.id} asset={asset} size={THUMBNAIL_PX} />
        <span class="image-name">{name}</span>
      </a>
      <p class="numbers">
        <ImageBytes asset={asset} />
      </p>
      <div class="tags">
        <ImageState asset={asset} />
      </div>
      <div class="row card-foot">
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          checked={ticked.has(seq)}
          onChange={({ currentTarget }) => onTick(seq, currentTarget.checked)}
        />
        <DecisionButtons asset={asset} name={name} isBusy={isBusy} onDecide={(approval) => onDecide(seq, approval)} />
      </div>
    </li>
  );
}

/** Shows the sizes before and after. */
export function ImageBytes({ asset: { bytes, optimized, bytes_saved, saved_percent } }: { asset: SiteAsset }) {
  if (bytes === null) return <>not read</>;
  if (!optimized) return <>{bytesText(bytes)}</>;
  return (
    <>
      {bytesText(bytes)} → <strong>{bytesText(optimized.bytes)}</strong> <small>−{Math.round(saved_percent)}%</small>
      <SavedBar whole={bytes} stays={bytes - bytes_saved} saved={bytes_saved} />
    </>
  );
}

/** Shows state, decision and findings. Several findings of one severity are shown as a count. */
export function ImageState({ asset }: { asset: SiteAsset }) {
  const { status, skip_reason, findings } = asset;
  return (
    <>
      <DecisionTag asset={asset} />
      {status !== 'optimized' && <Tag kind={ASSET_STATUSES[status].kind}>{ASSET_STATUSES[status].label}</Tag>}
      {SEVERITY_NAMES.map((severity) => {
        const own = findings.filter((finding) => finding.severity === severity);
        if (own.length === 0) return null;
        const { label, kind } = SEVERITIES[severity];
        return (
          <Tag key={severity} kind={kind}>
            {own.length === 1 ? findingText(own[0]!.code).title : pluralize(own.length, label)}
          </Tag>
        );
      })}
      {skip_reason !== null && <small>{ASSET_SKIPS[skip_reason]}</small>}
    </>
  );
}
