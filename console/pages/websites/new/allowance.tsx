import { pluralize } from '../labels.ts';
import type { SiteTiers } from '../types.ts';

/** Shows how many pages and websites the account may scan. */
export function Allowance({ tiers: { plan, scan_pages, websites } }: { tiers: SiteTiers }) {
  const isFull = websites.held >= websites.limit;
  return (
    <p class="help">
      Your account, plan {plan}, can scan {pluralize(scan_pages, 'page')} at a time and{' '}
      {pluralize(websites.limit, 'website')}; it holds {websites.held}
      {websites.domains.length > 0 && `: ${websites.domains.join(', ')}`}.
      {isFull &&
        ' Another one needs a larger plan or a package of pages, or that you delete the scans of one of these.'}
    </p>
  );
}
