/** Counts failed keys and tokens by client address, to slow down clients that guess. In memory, and bounded. */
import { Failure } from '../../base/failure.ts';
import { tooManyFailedAttempts } from './errors.ts';
import { secondsUntil } from './period.ts';

/** Failures of one address in a window; further ones are answered with 429. */
export const MAX_FAILED_ATTEMPTS = 20;

const WINDOW_MS = 60_000;

/** For an address over the limit, one token is compared in this time, right or wrong. */
const TOKEN_INTERVAL_MS = 1000;

/** Addresses that are remembered. A new one replaces the oldest, so that an attacker with many addresses cannot fill the memory. */
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
   * Runs `authenticate` and counts its failure. A right key always works: others may share the address, and 190 random
   * bits cannot be guessed at any speed. Over the limit a wrong key is answered with `rate_limited`.
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
   * The same for a token. A person has chosen it, so it might be guessed: over the limit only one token a second is
   * compared.
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

  /** Counts a failed attempt and returns the error to answer with. A request without a key is not counted. */
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
