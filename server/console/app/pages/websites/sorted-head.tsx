import { nextSort, setFilters } from './filters.ts';

export interface SortedHeadProps {
  title: string;
  /** As the interface names it. */
  field: string;
  /** The present order. */
  sort: string;
  isText?: boolean;
}

/** The head of a column by which the list can be sorted. */
export function SortedHead({ title, field, sort, isText = false }: SortedHeadProps) {
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined;
  return (
    <th scope="col" aria-sort={order} class={isText ? undefined : 'numbers'}>
      <button type="button" class="quiet sort" onClick={() => setFilters({ sort: nextSort(sort, field, isText) })}>
        {title}
        <span aria-hidden="true">{order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}</span>
      </button>
    </th>
  );
}
