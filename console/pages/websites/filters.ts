/** Keeps the filters of a list in the page's address, so that they can be bookmarked, shared and navigated back to. */
import { navigate, route, to } from '../../shell/router.ts';

/** Changes some filters of the current list, and returns to its first page unless `offset` is among the changes. */
export function setFilters(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value;
  const { offset: _, ...kept } = Object.fromEntries(query);
  navigate(to(path, { ...kept, ...changes }), { replace: true });
}

/** Returns the named filters of the address, as query parameters for the API. */
export function filtersOf(names: readonly string[], query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** Returns the sort order after a click on a column heading. Numbers sort in descending order first. */
export function nextSort(present: string, field: string, isText: boolean): string {
  if (present === field) return `-${field}`;
  if (present === `-${field}`) return field;
  return isText ? field : `-${field}`;
}
