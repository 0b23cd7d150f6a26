import { to } from '../../../shell/router.ts';
import { bytesText, countText } from '../../../ui/format.ts';
import { Facts } from '../facts.tsx';
import type { SiteScan } from '../types.ts';

export interface ChangesProps {
  changes: NonNullable<SiteScan['changes']>;
  previous: string | null;
}

/** Shows the changes since the previous scan. */
export function Changes({ changes, previous }: ChangesProps) {
  const { assets_new, assets_gone, assets_changed, bytes_delta, issues_new, issues_fixed } = changes;
  const sign = bytes_delta > 0 ? '+' : bytes_delta < 0 ? '−' : '±';
  const facts = [
    ['Images new', countText(assets_new)],
    ['Images gone', countText(assets_gone)],
    ['Images changed', countText(assets_changed)],
    ['Bytes', `${sign}${bytesText(Math.abs(bytes_delta))}`],
    ['Findings new', countText(issues_new)],
    ['Findings gone', countText(issues_fixed)],
  ] as const;
  return (
    <section class="card" aria-label="Changes">
      <h2>Since the scan before</h2>
      <Facts facts={facts} />
      {previous !== null && <a href={to(['websites', previous])}>See that scan</a>}
    </section>
  );
}
