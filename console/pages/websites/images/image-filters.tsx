import { SegmentedControl } from '../../../ui/segments.tsx';
import { FilterField, SearchField } from '../filter-fields.tsx';
import { setFilters } from '../filters.ts';
import { countedFindings } from '../findings/texts.ts';
import { ASSET_KINDS, ASSET_STATUSES, toOptions } from '../labels.ts';
import type { SiteScan } from '../types.ts';

const VIEWS = [
  { value: 'grid', label: 'Grid' },
  { value: 'table', label: 'Table' },
] as const;

const SORTS = [
  { value: '', label: 'largest saving first' },
  { value: '-bytes', label: 'largest file first' },
  { value: '-saved_percent', label: 'largest share first' },
  { value: '-pages', label: 'on most pages first' },
  { value: '-width', label: 'widest first' },
  { value: 'url', label: 'address' },
  { value: 'seq', label: 'as found' },
];

/** Filters, sort order and view of the image list. */
export function ImageFilters({ scan, query }: { scan: SiteScan; query: URLSearchParams }) {
  const findings = countedFindings(scan.totals.issues);
  const page = query.get('page');
  const any = { value: '', label: 'any' };
  return (
    <search class="filters" aria-label="Images">
      <SearchField label="Address" />
      <FilterField label="Kind" name="kind" options={[any, ...toOptions(ASSET_KINDS)]} />
      <FilterField label="State" name="status" options={[any, ...toOptions(ASSET_STATUSES)]} />
      <FilterField
        label="Replaced"
        name="mapped"
        options={[any, { value: 'true', label: 'yes' }, { value: 'false', label: 'no' }]}
      />
      <FilterField
        label="Finding"
        name="issue"
        options={[
          { value: '', label: 'all images' },
          { value: 'any', label: 'any finding' },
          { value: 'none', label: 'no finding' },
          ...findings.map(({ code, title }) => ({ value: code, label: title })),
        ]}
      />
      <FilterField label="Order" name="sort" options={SORTS} />
      <SegmentedControl
        label="View"
        options={VIEWS}
        value={query.get('view') === 'table' ? 'table' : 'grid'}
        onValue={(view) =>
          setFilters({ view: view === 'table' ? view : undefined, offset: query.get('offset') ?? undefined })
        }
      />
      {page !== null && (
        <button type="button" onClick={() => setFilters({ page: undefined })}>
          Only page {page} ×
        </button>
      )}
    </search>
  );
}
