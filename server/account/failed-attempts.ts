/** Failed keys and tokens, counted by client address, so that who guesses is slowed. In memory, and bounded. */
import { Failure } from '../../base/failure.ts';
import { tooManyFailedAttempts } from './errors.ts';
import { secondsUntil } from './period.ts';

/** Failures of one address in a window that are answered as such. */
export const MAX_FAILED_ATTEMPTS = 20;

const WINDOW_MS = 60_000;

/** An address over the limit has one token compared in this time, right or wrong. */
const TOKEN_INTERVAL_MS = 1000;

/** Addresses that are remembered. The oldest is forgotten for a new one, so that an attacker with many takes no memory. */
const MAX_ADDRESSES = 10_000;

interface Attempts {
  failures: number;
  /** Milliseconds. */
  endsAt: number;
  nextTokenAt: number;
}

export class FailedAttempts {
  readonly #now: () => number;
  /** In the order of their first failures, so that the first is the oldest. */
  readonly #byAddress = new Map<string, Attempts>();

  /** @param now the clock, in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Runs `authenticate` and counts its failure. A right key always works, since others may share the address and 190
   * random bits cannot be guessed at any speed; over the limit a wrong one is answered `rate_limited`.
   * @throws Failure of `authenticate`, or 429 `rate_limited` in place of 401 `invalid_key`
   */
  async keyFrom<T>(address: string, authenticate: () => Promise<T>): Promise<T> {
    try {
      return await authenticate();
    } catch (error) {
      throw this.#count(address, error);
    }
  }

  /**
   * The same for a token, which a person has chosen and somebody might guess: over the limit only one in a second is
   * compared at all.
   */
  tokenFrom(address: string, check: () => void): void {
    const attempts = this.#running(address);
    if (attempts && attempts.failures >= MAX_FAILED_ATTEMPTS) {
      if (this.#now() < attempts.nextTokenAt) throw tooManyFailedAttempts(TOKEN_INTERVAL_MS / 1000);
      attempts.nextTokenAt = this.#now() + TOKEN_INTERVAL_MS;
    }
    try {
      check();
    } catch (error) {
      throw this.#count(address, error);
    }
  }

  /** Counts a failed attempt; returns what to answer. A request without a key guesses nothing. */
  #count(address: string, error: unknown): unknown {
    if (!(error instanceof Failure) || error.code !== 'invalid_key') return error;
    let attempts = this.#running(address);
    if (!attempts) {
      attempts = { failures: 0, endsAt: this.#now() + WINDOW_MS, nextTokenAt: 0 };
      this.#add(address, attempts);
    }
    attempts.failures += 1;
    if (attempts.failures <= MAX_FAILED_ATTEMPTS) return error;
    return tooManyFailedAttempts(Math.max(1, secondsUntil(attempts.endsAt, this.#now())));
  }

  #running(address: string): Attempts | undefined {
    const attempts = this.#byAddress.get(address);
    return attempts && attempts.endsAt > this.#now() ? attempts : undefined;
  }

  #add(address: string, attempts: Attempts): void {
    this.#byAddress.delete(address);
    this.#byAddress.set(address, attempts);
    if (this.#byAddress.size <= MAX_ADDRESSES) return;
    const [oldest] = this.#byAddress.keys();
    this.#byAddress.delete(oldest!);
  }
}
