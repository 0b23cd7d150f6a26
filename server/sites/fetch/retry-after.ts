const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 5000;

/**
 * How long to wait before asking a host again, by its `Retry-After` header: seconds or a date (RFC 9110, section
 * 10.2.3).
 * @param now milliseconds since 1970
 * @returns milliseconds, at most a minute; 5 s when the header is missing or invalid
 */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? DEFAULT_WAIT_MS : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}
