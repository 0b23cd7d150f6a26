/**
 * Limits the requests per minute of an account. The window begins with the first request and survives restarts. While
 * the disk is full, it is counted in memory.
 */

import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { Turns } from '../../base/turns.ts';
import { isStorageFull } from '../../storage/errors.ts';
import type { RateWindows } from '../../storage/ports/rate-windows.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { RateWindow } from '../../storage/records/rate-windows.ts';
import type { Rate } from '../http/context.ts';
import type { Plans } from './plans.ts';

const WINDOW_SECONDS = 60;

/**
 * The library's result with the stored end of the window. The
 * library's own remaining time would be of an earlier moment.
 */
class RateLimitResult extends RateLimiterRes {
  readonly endsAt: number;

  constructor(remaining: number, { requests, endsAt }: RateWindow, isFirst: boolean, now: number) {
    super(remaining, endsAt - now, requests, isFirst);
    this.endsAt = endsAt;
  }
}

/** The windows of the database plus counts that could not be written because the disk is full. */
class BufferedRateWindows {
  readonly #windows: RateWindows;
  /** Requests that have not been written yet. */
  readonly #waiting = new Map<string, RateWindow>();
  readonly #turns = new Turns();

  constructor(windows: RateWindows) {
    this.#windows = windows;
  }

  /** Whether requests of a subject have not been written yet. */
  isWaiting(subject: string): boolean {
    return this.#waiting.has(subject);
  }

  /** Like `RateWindows.add`. */
  async add(subject: string, requests: number, now: number, endsAt: number): Promise<RateWindow> {
    if (this.#waiting.size === 0)
      try {
        return await this.#windows.add(subject, requests, now, endsAt);
      } catch (error) {
        if (!isStorageFull(error)) throw error;
      }
    return await this.#turns.take(() => this.#addInTurn(subject, requests, now, endsAt));
  }

  async #addInTurn(subject: string, requests: number, now: number, endsAt: number): Promise<RateWindow> {
    const runs = (window: Pick<RateWindow, 'endsAt'>) => window.endsAt > now && window.endsAt <= 2 * endsAt - now;
    for (const [each, window] of this.#waiting) if (!runs(window)) this.#waiting.delete(each);
    const waiting = this.#waiting.get(subject) ?? { subject, requests: 0, endsAt };
    const mine = { ...waiting, requests: waiting.requests + requests };
    try {
      const window = await this.#windows.add(subject, mine.requests, now, mine.endsAt);
      this.#waiting.delete(subject);
      return window;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
    const written = await this.#windows.read(subject);
    const base = written && runs(written) ? written : { requests: 0, endsAt: mine.endsAt };
    this.#waiting.set(subject, { ...mine, endsAt: base.endsAt });
    return { subject, requests: base.requests + mine.requests, endsAt: base.endsAt };
  }
}

/** The library's limiter on our database. The library calls the methods with an underscore. */
class StoredLimiter extends RateLimiterStoreAbstract {
  readonly #windows: BufferedRateWindows;
  readonly #now: () => number;
  readonly #limit: number;

  constructor(limit: number, windows: BufferedRateWindows, now: () => number) {
    super({ points: limit, duration: WINDOW_SECONDS, keyPrefix: '', storeClient: windows });
    this.#limit = limit;
    this.#windows = windows;
    this.#now = now;
  }

  _upsert(account: string, requests: number, milliseconds: number): Promise<RateWindow> {
    const now = this.#now();
    return this.#windows.add(account, requests, now, now + milliseconds);
  }

  _getRateLimiterRes(_account: string, changed: number, window: RateWindow): RateLimitResult {
    const remaining = Math.max(0, this.#limit - window.requests);
    return new RateLimitResult(remaining, window, window.requests === changed, this.#now());
  }
}

export class Rates {
  readonly #windows: BufferedRateWindows;
  readonly #plans: Plans;
  readonly #now: () => number;
  /** One limiter for each limit of a plan. An account that changes its plan keeps its count. */
  readonly #limiters = new Map<number, StoredLimiter>();
  /** Exceeded windows by account id. Requests until their end are refused without a write. */
  readonly #exceeded = new Map<string, Rate>();

  /** @param now returns the current time in milliseconds */
  constructor(windows: RateWindows, plans: Plans, now: () => number = Date.now) {
    this.#windows = new BufferedRateWindows(windows);
    this.#plans = plans;
    this.#now = now;
  }

  /** Counts one request. */
  async count({ id, plan }: Account): Promise<Rate> {
    const limit = this.#plans.of({ plan }).requests_per_minute;
    if (limit === null) return { limit, remaining: null, resetsAt: this.#now(), exceeded: false };
    const known = this.#exceeded.get(id);
    if (known?.limit === limit && this.#isCurrent(known) && !this.#windows.isWaiting(id)) return known;
    const state = ({ remainingPoints, endsAt }: RateLimitResult, exceeded: boolean): Rate => ({
      limit,
      remaining: remainingPoints,
      resetsAt: endsAt,
      exceeded,
    });
    return await this.#limiter(limit)
      .consume(id)
      .then(
        (counted) => state(counted as RateLimitResult, false),
        (refused: unknown) => {
          if (!(refused instanceof RateLimitResult)) throw refused;
          const rate = state(refused, true);
          for (const [other, { resetsAt }] of this.#exceeded) if (resetsAt <= this.#now()) this.#exceeded.delete(other);
          this.#exceeded.set(id, rate);
          return rate;
        },
      );
  }

  /**
   * Whether a window is current. After the clock was set back, it lasts at most twice its length, as in the database.
   */
  #isCurrent({ resetsAt }: Rate): boolean {
    const left = resetsAt - this.#now();
    return left > 0 && left <= 2 * WINDOW_SECONDS * 1000;
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
