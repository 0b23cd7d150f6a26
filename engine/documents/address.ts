/** Addresses as documents name them, made absolute and comparable. Main-thread safe. */

/** Query parameters that say where a visitor came from (spec/shapes.md, section 16.1, step 5). */
const TRACKING = /^(?:utm_.*|gclid|fbclid|mc_eid)$/i;

/**
 * By the URL standard: white space at the ends and line breaks within are dropped, dot segments resolved, the host in lower
 * case, the default port away; here without its fragment.
 * @returns undefined for what is no address of http or https
 */
export function normalizeAddress(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  url.hash = '';
  return url.href;
}

/** As {@link normalizeAddress}, for pages: also without the parameters that only track visitors. */
export function pageAddress(address: string, base?: string): string | undefined {
  const normal = normalizeAddress(address, base);
  const query = normal?.indexOf('?') ?? -1;
  if (normal === undefined || query === -1) return normal;
  // The others stay as they are spelled, which URLSearchParams would change.
  const kept = normal
    .slice(query + 1)
    .split('&')
    .filter((pair) => !TRACKING.test(pair.split('=', 1)[0]!));
  return kept.length > 0 ? `${normal.slice(0, query)}?${kept.join('&')}` : normal.slice(0, query);
}
