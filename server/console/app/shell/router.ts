/** Pages are named by the fragment, as `#/jobs/job_1?status=done`: the service has one address for all. */
import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export interface Route {
  /** Its parts, decoded; the first names the page. */
  path: readonly string[];
  query: URLSearchParams;
}

export const route = computed<Route>(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
});

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page, for links. Of the query what is undefined or empty is left out. */
export function to(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
  return `#/${path.map(encodeURIComponent).join('/')}${text}`;
}

/** @param options `replace`: the page before is not gone back to */
export function go(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, '', address);
    hash.value = location.hash;
  } else location.hash = address;
}
