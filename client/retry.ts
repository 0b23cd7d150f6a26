/** Decides when a request is retried, and after what time. */
import type { ImagecrewError } from './errors.ts';

/** Longer waits are left to the caller: a quota that is reset next month is not worth waiting for. */
const MAX_WAIT_SECONDS = 60;
/** The service has not started the request: rate_limited, overloaded, shutting_down. */
const PUT_OFF: ReadonlySet<number> = new Set([429, 503]);
/** A retry would fail in the same way, until the quota is reset or the model is installed. */
const STANDING: ReadonlySet<string> = new Set(['quota_exceeded', 'model_unavailable']);
/** The service may have processed the request: a proxy lost the response, or the first request is still running. */
const UNKNOWN: ReadonlySet<string> = new Set(['http_502', 'http_504', 'idempotency_in_progress']);

/** @param idempotent whether repeating the request has no further effect */
export function isWorthRepeating({ status, code, retryAfter = 0 }: ImagecrewError, idempotent: boolean): boolean {
  if (retryAfter > MAX_WAIT_SECONDS) return false;
  return (PUT_OFF.has(status) && !STANDING.has(code)) || (idempotent && UNKNOWN.has(code));
}

const FIRST_MS = 500;
const MAX_MS = 8000;

/** Exponential backoff with full jitter, so that clients that were refused together do not retry together. */
export const backOffMs = (attempt: number): number => Math.random() * Math.min(MAX_MS, FIRST_MS * 2 ** attempt);

/** @throws the reason of `signal` */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
