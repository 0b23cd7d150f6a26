import { Tag } from '../../ui/feedback.tsx';
import { quotaOf } from './quota.ts';
import type { QuotaUsage } from './records.ts';

/** Shows a quota as a bar with its numbers. */
export function QuotaBar({ label, standing, help }: { label: string; standing: QuotaUsage; help?: string }) {
  const { share, level, text, rest } = quotaOf(standing);
  return (
    <div class={`quota ${level}`}>
      <h3>{label}</h3>
      <p class="quota-text">
        <strong>{text}</strong>
        {level === 'success' ? <span>{rest}</span> : <Tag kind={level}>{rest}</Tag>}
      </p>
      <Bar share={share} />
      {help && <p class="help">{help}</p>}
    </div>
  );
}

/** Decorative: the text beside it gives the same numbers. */
export function Bar({ share = 0 }: { share?: number | undefined }) {
  return (
    <div class="bar" aria-hidden="true">
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
