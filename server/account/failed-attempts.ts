/** Counts wrong keys and tokens by client address, to slow down clients that guess. In memory, with a maximum size. */

import { type Clock, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { tooManyFailedAttempts } from './errors.ts';
import { secondsUntil } from './period.ts';

/** Failures of one address per window. Further ones are answered late, with 429. */
export const MAX_FAILED_ATTEMPTS = 20;

const WINDOW_MS = 60_000;

/** Delay of a response above the limit. */
export const RESPONSE_DELAY_MS = 1000;

/** Delayed responses at a time: each keeps a request and its connection in memory. Further ones are sent at once. */
export const MAX_DELAYED_RESPONSES = 256;

/**
 * Addresses that are kept. A new one replaces the oldest, so an attacker with many addresses cannot fill the memory.
 */
const MAX_ADDRESSES = 10_000;

interface Attempts {
  failures: number;
  /** Milliseconds. */
  endsAt: number;
}

/** Attempts by address, in the order of their first failures, so that the first is the oldest. */
type AttemptsByAddress = Map<string, Attempts>;

/**
 * A correct key or token always works: other clients may share the address, and a
 * client that guesses must not lock them out. So each attempt is compared, in constant
 * time, before its failure is counted. Keys and tokens are counted separately.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #keys: AttemptsByAddress = new Map();
  readonly #tokens: AttemptsByAddress = new Map();
  #delayed = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Runs `authenticate` and counts its failure.
   * @throws Failure of `authenticate`, or over the limit 429 `rate_limited` in place of 401 `invalid_key`
   */
  async keyFrom<T>(address: string, authenticate: () => Promise<T>): Promise<T> {
    try {
      return await authenticate();
    } catch (error) {
      throw this.#count(this.#keys, address, error);
    }
  }

  /** The same for a token. */
  tokenFrom(address: string, check: () => void): void {
    try {
      check();
    } catch (error) {
      throw this.#count(this.#tokens, address, error);
    }
  }

  /** Counts a failed attempt and returns the error to respond with. A request without a key is not counted. */
  #count(byAddress: AttemptsByAddress, address: string, error: unknown): unknown {
    if (!(error instanceof Failure) || error.code !== 'invalid_key') return error;
    const now = this.#clock.now();
    let attempts = byAddress.get(address);
    if (!attempts || attempts.endsAt <= now) {
      attempts = { failures: 0, endsAt: now + WINDOW_MS };
      add(byAddress, address, attempts);
    }
    attempts.failures += 1;
    if (attempts.failures <= MAX_FAILED_ATTEMPTS) return error;
    return tooManyFailedAttempts(Math.max(1, secondsUntil(attempts.endsAt, now)), this.#delay());
  }

  /** Returns a promise that resolves when the response may be sent, or undefined if it may be sent at once. */
  #delay(): Promise<void> | undefined {
    if (this.#delayed >= MAX_DELAYED_RESPONSES) return undefined;
    this.#delayed += 1;
    return new Promise((resolve) => {
      this.#clock.after(RESPONSE_DELAY_MS, () => {
        this.#delayed -= 1;
        resolve();
      });
    });
  }
}

function add(byAddress: AttemptsByAddress, address: string, attempts: Attempts): void {
  byAddress.delete(address);
  byAddress.set(address, attempts);
  if (byAddress.size <= MAX_ADDRESSES) return;
  const [oldest] = byAddress.keys();
  byAddress.delete(oldest!);
}
