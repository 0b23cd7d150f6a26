import { nextSort, setFilters } from './filters.ts';

export interface SortedHeadProps {
  title: string;
  /** Field name in the API. */
  field: string;
  /** The current sort order. */
  sort: string;
  isText?: boolean;
}

/** A column heading that sorts the list. */
export function SortableHeader({ title, field, sort, isText = false }: SortedHeadProps) {
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
