/** Hosts that do not answer any more: a scan of thousands of pages must not wait for each of them. */
import type { Failure } from '../../../base/failure.ts';

/** Failures in a row after which a host is not asked any more. */
const MOST_FAILURES = 5;
/** A failure that came sooner kept nobody waiting. */
const LONG_MS = 5000;

export class Hosts {
  /** Of each origin: long failures one after the other, and the last one. */
  readonly #failures = new Map<string, { count: number; last: Failure }>();

  /** The failure of a host that was given up. */
  givenUp(url: string): Failure | undefined {
    const failures = this.#failures.get(new URL(url).origin);
    return failures && failures.count >= MOST_FAILURES ? failures.last : undefined;
  }

  answered(url: string): void {
    this.#failures.delete(new URL(url).origin);
  }

  /** @param ms how long it took */
  failed(url: string, failure: Failure, ms: number): void {
    if (failure.code !== 'url_fetch_failed' || ms < LONG_MS) return;
    const { origin } = new URL(url);
    this.#failures.set(origin, { count: (this.#failures.get(origin)?.count ?? 0) + 1, last: failure });
  }
}
