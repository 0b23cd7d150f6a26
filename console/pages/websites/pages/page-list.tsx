/** Lists the pages that a scan found. */
import './pages.css';
import { useEffect, useState } from 'preact/hooks';
import { route } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { FilterField, SearchField } from '../filter-fields.tsx';
import { filtersOf, setFilters } from '../filters.ts';
import { ATTENTION, OPTIMIZATIONS, PAGE_STATUSES, toOptions } from '../labels.ts';
import { canSelect } from '../scan/states.ts';
import type { ListPagesParams, SectionProps } from '../types.ts';
import { PageDetail } from './page-detail.tsx';
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
        <SearchField label="Address or title" />
        <FilterField label="State" name="status" options={[any('any'), ...toOptions(PAGE_STATUSES)]} />
        <FilterField
          label="Needs a look"
          name="attention"
          options={[any('all pages'), { value: 'any', label: 'for any reason' }, ...toOptions(ATTENTION)]}
        />
        <FilterField label="New files" name="optimization" options={[any('all pages'), ...toOptions(OPTIMIZATIONS)]} />
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

export function Pages(props: SectionProps) {
  const { scan, part } = props;
  return part === undefined ? <PageList {...props} /> : <PageDetail scan={scan} seq={part} />;
}
