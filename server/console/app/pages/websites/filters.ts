/** What a list shows is part of the address, so that it can be kept, sent and gone back to. */
import { go, route, to } from '../../shell/router.ts';

/** Sets some of the filters of the present list, and goes to its beginning unless a place is named. */
export function setFilters(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value;
  const { offset: _, ...kept } = Object.fromEntries(query);
  go(to(path, { ...kept, ...changes }), { replace: true });
}

/** The filters of the address that the interface knows by these names. */
export function filtersOf(names: readonly string[], query: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

/** The order that follows when the head of a column is chosen: numbers begin with the largest. */
export function nextSort(present: string, field: string, isText: boolean): string {
  if (present === field) return `-${field}`;
  if (present === `-${field}`) return field;
  return isText ? field : `-${field}`;
}
