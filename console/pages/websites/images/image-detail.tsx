/** Shows one image: before and after, its findings, other results, and where it is used. */
import { to } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { DetailHead } from '../detail-head.tsx';
import { ImageFindings } from '../findings/findings-of.tsx';
import { ASSET_SKIPS, shortAddress } from '../labels.ts';
import type { SectionProps } from '../scan/section-props.ts';
import type { Approval, SiteAssetDetail } from '../types.ts';
import { BeforeAfter } from './before-after.tsx';
import { canDecide, DecisionButtons, DecisionTag } from './decision-buttons.tsx';
import { decisionForKey, useDecisions } from './decisions.ts';
import { ImageFacts } from './image-facts.tsx';
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
      {asset.error && (
        <Notice kind="error">
          {asset.error.message} <code>{asset.error.code}</code>
        </Notice>
      )}
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
