/** Lists the pages that a scan found. */
import { useEffect, useState } from 'preact/hooks';
import { route } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { SelectField } from '../../../ui/fields.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { filtersOf, setFilters } from '../filters.ts';
import { ATTENTION, OPTIMIZATIONS, PAGE_STATUSES, toOptions } from '../labels.ts';
import type { SectionProps } from '../scan/section-props.ts';
import { canSelect } from '../scan/states.ts';
import { SearchField } from '../search-field.tsx';
import type { ListPagesParams } from '../types.ts';
import { PageSelection } from './page-selection.tsx';
import { PageTable } from './page-table.tsx';

const FILTERS = ['status', 'attention', 'optimization', 'over_limit', 'q', 'sort', 'offset'];
const LIMIT = 50;

export function PageList({ scan, changes, act }: SectionProps) {
  const { scans } = sitesClient.value;
  const { query } = route.value;
  // Changed checkboxes, until the list is read again.
  const [ticked, setTicked] = useState<ReadonlyMap<number, boolean>>(new Map());
  const filters = filtersOf(FILTERS, query);
  const { value, error } = useData(
    (signal) => scans.listPages(scan.id, { ...filters, limit: LIMIT } as ListPagesParams, { signal }),
    [scans, scan.id, JSON.stringify(filters), changes],
  );
  useEffect(() => setTicked(new Map()), [value]);
  const tick = async (seq: number, selected: boolean) => {
    setTicked((before) => new Map(before).set(seq, selected));
    const isDone = await act({ action: 'select', pages: [seq], selected });
    if (!isDone) setTicked((before) => new Map(before).set(seq, !selected));
  };
  const any = (label: string) => ({ value: '', label });
  return (
    <section class="stack" aria-label="Pages">
      {scan.status === 'review' && <PageSelection scan={scan} act={act} />}
      {canSelect(scan) && scan.status !== 'review' && (
        <details>
          <summary>Choose more pages</summary>
          <PageSelection scan={scan} act={act} />
        </details>
      )}
      <search class="filters" aria-label="Pages">
        <SearchField label="Address or title" value={query.get('q') ?? ''} />
        <SelectField
          label="State"
          value={query.get('status') ?? ''}
          options={[any('any'), ...toOptions(PAGE_STATUSES)]}
          onValue={(status) => setFilters({ status })}
        />
        <SelectField
          label="Needs a look"
          value={query.get('attention') ?? ''}
          options={[any('all pages'), { value: 'any', label: 'for any reason' }, ...toOptions(ATTENTION)]}
          onValue={(attention) => setFilters({ attention })}
        />
        <SelectField
          label="New files"
          value={query.get('optimization') ?? ''}
          options={[any('all pages'), ...toOptions(OPTIMIZATIONS)]}
          onValue={(optimization) => setFilters({ optimization })}
        />
      </search>
      {error !== undefined && <Notice error={error} />}
      {!value && error === undefined && <Spinner label="Reading the pages" />}
      {value?.total === 0 && (
        <Notice>
          {scan.totals.pages_found === 0 ? 'No page was found yet.' : 'No page fits. Change what you look for.'}
        </Notice>
      )}
      {value && value.total > 0 && (
        <>
          <PageTable
            scan={scan}
            pages={value.pages.map((page) => ({ ...page, selected: ticked.get(page.seq) ?? page.selected }))}
            sort={query.get('sort') ?? 'seq'}
            {...(canSelect(scan) ? { onTick: (seq, isOn) => void tick(seq, isOn) } : {})}
          />
          <Pager what="pages" slice={value} onOffset={(offset) => setFilters({ offset: String(offset) })} />
        </>
      )}
    </section>
  );
}
