import { Tag } from '../../../ui/feedback.tsx';
import { APPROVALS } from '../labels.ts';
import type { Approval, SiteAsset } from '../types.ts';

const DECISIONS = [
  ['approved', 'Approve', 'a'],
  ['rejected', 'Reject', 'r'],
] as const;

export interface DecisionButtonsProps {
  asset: SiteAsset;
  /** Name of the image for the labels. */
  name: string;
  isBusy: boolean;
  onDecide(approval: Approval): void;
}

/** Returns whether there is a new file to decide on, or a decision to change. */
export const canDecide = ({ optimized, candidates, approval }: SiteAsset): boolean =>
  optimized !== null || candidates.length > 0 || approval !== 'auto';

export function DecisionButtons({ asset, name, isBusy, onDecide }: DecisionButtonsProps) {
  const { approval } = asset;
  if (!canDecide(asset)) return null;
  // A second click undoes the decision. The button is not disabled while busy, because that would remove the focus.
  const toggle = (to: Approval) => {
    if (!isBusy) onDecide(approval === to ? 'auto' : to);
  };
  return (
    <div class="row decision">
      {DECISIONS.map(([decision, title, key]) => (
        <button
          key={decision}
          type="button"
          aria-pressed={approval === decision}
          aria-keyshortcuts={key}
          aria-label={`${title} ${name}`}
          aria-disabled={isBusy}
          onClick={() => toggle(decision)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** Shows the decision, or that the image will be replaced. */
export function DecisionTag({ asset: { approval, mapped } }: { asset: SiteAsset }) {
  if (approval !== 'auto') return <Tag kind={APPROVALS[approval].kind}>{APPROVALS[approval].label}</Tag>;
  return mapped ? <Tag kind="success">replaced</Tag> : null;
}
