/**
 * Routes pages by fragment, for example `#/jobs/job_1?status=done`, because the service serves one page at one address.
 */
import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export interface Route {
  /** Decoded segments. The first is the page's name. */
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

/** Returns the address of a page. Query values that are undefined or empty are omitted. */
export function to(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
  return `#/${path.map(encodeURIComponent).join('/')}${text}`;
}

/** @param options with `replace`, the current history entry is replaced */
export function navigate(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, '', address);
    hash.value = location.hash;
  } else location.hash = address;
}
