import { SelectField } from '../../../ui/fields.tsx';
import { SegmentedControl } from '../../../ui/segments.tsx';
import { setFilters } from '../filters.ts';
import { countedFindings } from '../findings/texts.ts';
import { ASSET_KINDS, ASSET_STATUSES, toOptions } from '../labels.ts';
import { SearchField } from '../search-field.tsx';
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
      <SearchField label="Address" value={query.get('q') ?? ''} />
      <SelectField
        label="Kind"
        value={query.get('kind') ?? ''}
        options={[any, ...toOptions(ASSET_KINDS)]}
        onValue={(kind) => setFilters({ kind })}
      />
      <SelectField
        label="State"
        value={query.get('status') ?? ''}
        options={[any, ...toOptions(ASSET_STATUSES)]}
        onValue={(status) => setFilters({ status })}
      />
      <SelectField
        label="Replaced"
        value={query.get('mapped') ?? ''}
        options={[any, { value: 'true', label: 'yes' }, { value: 'false', label: 'no' }]}
        onValue={(mapped) => setFilters({ mapped })}
      />
      <SelectField
        label="Finding"
        value={query.get('issue') ?? ''}
        options={[
          { value: '', label: 'all images' },
          { value: 'any', label: 'any finding' },
          { value: 'none', label: 'no finding' },
          ...findings.map(({ code, title }) => ({ value: code, label: title })),
        ]}
        onValue={(issue) => setFilters({ issue })}
      />
      <SelectField
        label="Order"
        value={query.get('sort') ?? ''}
        options={SORTS}
        onValue={(sort) => setFilters({ sort })}
      />
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
