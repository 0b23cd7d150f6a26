/** Requests a minute of an account. The window begins with the first request and is kept across restarts. */
import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import type { Account } from '../../storage/repositories/accounts.ts';
import type { RateWindow, RateWindows } from '../../storage/repositories/rate-windows.ts';
import type { Plans } from './plans.ts';

const WINDOW_SECONDS = 60;

/** Where an account stands in its running window. */
export interface Rate {
  /** Requests a minute; null is no limit. */
  limit: number | null;
  remaining: number | null;
  /** End of the window, in milliseconds. */
  resetsAt: number;
  /** This request is one too many. */
  exceeded: boolean;
}

/** What the library says of a request, and the end of its window as it is stored: the rest of it is of a time already past. */
class CountedRequest extends RateLimiterRes {
  readonly endsAt: number;

  constructor(remaining: number, { requests, endsAt }: RateWindow, isFirst: boolean, now: number) {
    super(remaining, endsAt - now, requests, isFirst);
    this.endsAt = endsAt;
  }
}

/** The library's limiter over our database; it calls the methods with an underscore. */
class StoredLimiter extends RateLimiterStoreAbstract {
  readonly #windows: RateWindows;
  readonly #now: () => number;
  readonly #limit: number;

  constructor(limit: number, windows: RateWindows, now: () => number) {
    super({ points: limit, duration: WINDOW_SECONDS, keyPrefix: '', storeClient: windows });
    this.#limit = limit;
    this.#windows = windows;
    this.#now = now;
  }

  _upsert(account: string, requests: number, milliseconds: number): Promise<RateWindow> {
    const now = this.#now();
    return this.#windows.add(account, requests, now, now + milliseconds);
  }

  _getRateLimiterRes(_account: string, changed: number, window: RateWindow): CountedRequest {
    const remaining = Math.max(0, this.#limit - window.requests);
    return new CountedRequest(remaining, window, window.requests === changed, this.#now());
  }
}

export class Rates {
  readonly #windows: RateWindows;
  readonly #plans: Plans;
  readonly #now: () => number;
  /** One for each limit that a plan has; an account that changes its plan keeps its count. */
  readonly #limiters = new Map<number, StoredLimiter>();

  /** @param now the clock, in milliseconds */
  constructor(windows: RateWindows, plans: Plans, now: () => number = Date.now) {
    this.#windows = windows;
    this.#plans = plans;
    this.#now = now;
  }

  /** Counts one request. */
  async count({ id, plan }: Account): Promise<Rate> {
    const limit = this.#plans.of({ plan }).requests_per_minute;
    if (limit === null) return { limit, remaining: null, resetsAt: this.#now(), exceeded: false };
    const state = ({ remainingPoints, endsAt }: CountedRequest, exceeded: boolean): Rate => ({
      limit,
      remaining: remainingPoints,
      resetsAt: endsAt,
      exceeded,
    });
    return await this.#limiter(limit)
      .consume(id)
      .then(
        (counted) => state(counted as CountedRequest, false),
        (refused: unknown) => {
          if (refused instanceof CountedRequest) return state(refused, true);
          throw refused;
        },
      );
  }

  #limiter(limit: number): StoredLimiter {
    let limiter = this.#limiters.get(limit);
    if (!limiter) {
      limiter = new StoredLimiter(limit, this.#windows, this.#now);
      this.#limiters.set(limit, limiter);
    }
    return limiter;
  }
}
