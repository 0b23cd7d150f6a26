/** When a request is sent again, and after what time. */
import type { ImagecrewError } from './errors.ts';

/** A wait that is longer is the caller's to decide on: a quota that starts anew next month is no pause. */
const LONGEST_WAIT_SECONDS = 60;
/** The service has not begun with it: rate_limited, overloaded, shutting_down. */
const PUT_OFF: ReadonlySet<number> = new Set([429, 503]);
/** A second later they are answered in the same way: somebody has to do something first. */
const STANDING: ReadonlySet<string> = new Set(['quota_exceeded', 'model_unavailable']);
/** Nobody knows whether the service has done it. A proxy has lost it, or the first one is still on its way. */
const UNKNOWN: ReadonlySet<string> = new Set(['http_502', 'http_504', 'idempotency_in_progress']);

/** @param idempotent whether doing it twice does no more than doing it once */
export function isWorthRepeating({ status, code, retryAfter = 0 }: ImagecrewError, idempotent: boolean): boolean {
  if (retryAfter > LONGEST_WAIT_SECONDS) return false;
  return (PUT_OFF.has(status) && !STANDING.has(code)) || (idempotent && UNKNOWN.has(code));
}

const FIRST_MS = 500;
const LONGEST_MS = 8000;

/** Exponential with full jitter, so that those who were put off together do not come back together. */
export function backOffMs(attempt: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
}

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
