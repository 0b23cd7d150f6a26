/** Shows one image: before and after, its findings, other results, and where it is used. */
import { to } from '../../../shell/router.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Failure, Notice, Spinner } from '../../../ui/feedback.tsx';
import { bytesText } from '../../../ui/format.ts';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { DetailHead } from '../detail-head.tsx';
import { ImageFindings } from '../findings/findings.tsx';
import { ASSET_KINDS, ASSET_SKIPS, ASSET_STATUSES, pluralize, shortAddress } from '../labels.ts';
import type { Approval, SectionProps, SiteAssetDetail } from '../types.ts';
import { BeforeAfter } from './before-after.tsx';
import { canDecide, DecisionButtons, DecisionTag } from './decision-buttons.tsx';
import { decisionForKey, useDecisions } from './decisions.ts';
import { Outputs } from './outputs.tsx';
import { Uses } from './uses.tsx';

export function ImageDetail({ scan, changes, seq }: Pick<SectionProps, 'scan' | 'changes'> & { seq: number }) {
  const { scans } = sitesClient.value;
  const { value, error, reload } = useData(
    (signal) => scans.asset(scan.id, seq, { signal }),
    [scans, scan.id, seq, changes],
  );
  const decisions = useDecisions(scan.id, value);
  const back = <a href={to(['websites', scan.id, 'images'])}>All images</a>;
  if (error !== undefined) return <Notice error={error}>The image cannot be shown. {back}</Notice>;
  if (!value) return <Spinner label="Reading the image" />;
  const asset: SiteAssetDetail = { ...value, ...decisions.decided.get(seq) };
  const name = shortAddress(asset.url, scan.domain);
  const isBusy = decisions.progress !== undefined;
  const decide = async (approval: Approval, candidate?: string) => {
    await decisions.run([seq], candidate === undefined ? { approval } : { approval, candidate });
    // The decision also changes the image's entry in the replacement map.
    reload();
  };
  return (
    <section
      class="stack image-detail"
      aria-label={name}
      onKeyDown={(event) => {
        const decision = decisionForKey(event);
        if (decision && !isBusy && canDecide(asset)) void decide(decision);
      }}
    >
      <DetailHead title={name} back={back} url={asset.url} />
      <div class="row">
        <DecisionButtons asset={asset} name={name} isBusy={isBusy} onDecide={(approval) => void decide(approval)} />
        <DecisionTag asset={asset} />
        {asset.skip_reason !== null && <span>Left as it is: {ASSET_SKIPS[asset.skip_reason]}.</span>}
      </div>
      {decisions.error !== undefined && <Notice error={decisions.error} />}
      {asset.error && <Failure error={asset.error} />}
      <BeforeAfter scanId={scan.id} asset={asset} />
      <div class="overview-grid">
        <ImageFacts asset={asset} scanId={scan.id} />
        <ImageFindings findings={asset.findings} />
      </div>
      <Outputs asset={asset} isBusy={isBusy} onChoose={(id) => void decide('approved', id)} />
      <Uses scan={scan} asset={asset} />
    </section>
  );
}

function ImageFacts({ asset, scanId }: { asset: SiteAssetDetail; scanId: string }) {
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
      <Facts class="site-facts" facts={facts} />
      {duplicate_of !== null && (
        <p>
          The same file as <a href={to(['websites', scanId, 'images', String(duplicate_of)])}>image {duplicate_of}</a>.
        </p>
      )}
    </section>
  );
}
