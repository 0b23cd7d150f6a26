/** Controls of a list's filters, which are kept in the page's address. */
import { useEffect, useState } from 'preact/hooks';
import { route } from '../../shell/router.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { nextSort, setFilters } from './filters.ts';

/** Delay after typing before the search starts. */
const PAUSE_MS = 300;

/** Searches for part of an address once the user pauses. */
export function SearchField({ label }: { label: string }) {
  const value = route.value.query.get('q') ?? '';
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setFilters({ q: text.trim() || undefined }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return <TextField label={label} type="search" maxLength={200} value={text} onValue={setText} />;
}

interface FilterFieldProps {
  label: string;
  /** Name of the query parameter. */
  name: string;
  options: readonly { value: string; label: string }[];
}

/** Filters by one of several values. An empty value means no filter. */
export function FilterField({ label, name, options }: FilterFieldProps) {
  const value = route.value.query.get(name) ?? '';
  return <SelectField {...{ label, options, value }} onValue={(chosen) => setFilters({ [name]: chosen })} />;
}

interface SortedHeadProps {
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
