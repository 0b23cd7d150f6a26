/**
 * Limits the rate of requests to one host. Requests are sent in order of arrival. A busy host is asked more slowly; a
 * host that stays busy or does not respond is not asked again.
 */

import type { Clock } from '../../../base/clock.ts';
import { UpstreamError } from '../../../base/http-request.ts';

/** Maximum delay between requests, whatever the host's Crawl-delay says. */
const MAX_DELAY_MS = 10_000;
/** Minimum delay for a busy host. It replaces a delay of 0, which cannot be doubled. */
const MIN_BUSY_DELAY_MS = 200;
/** Maximum number of busy responses in total. Each may ask for a pause of a minute. */
const MAX_BUSY_RESPONSES = 30;
/**
 * Maximum number of addresses given up as busy with no other response in between. A single address may be busy by
 * itself.
 */
const MAX_ADDRESSES_GIVEN_UP = 2;
/** Maximum number of failures with no response in between. */
const MAX_FAILURES = 5;
/** Failures that came sooner than this are not counted: they delayed nobody. */
const MIN_COUNTED_FAILURE_MS = 5000;

/** Permission to send one request. */
export interface Turn {
  /** Clock time in milliseconds. */
  readonly begunAt: number;
  /** How many times the host had been slowed down when the turn began. */
  readonly slowed: number;
  /** Ends the turn, so that the next one can begin. */
  end(): void;
}

interface Waiting {
  begin(turn: Turn): void;
  fail(reason: unknown): void;
}

export class HostPace {
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  #concurrency: number;
  #delayMs: number;
  #running = 0;
  #nextStart = Number.NEGATIVE_INFINITY;
  #slowed = 0;
  #busy = 0;
  #givenUp = 0;
  #failures = 0;
  #stopped: string | undefined;
  #cancelTimer = () => {};

  constructor(clock: Clock, { concurrency, delayMs }: { concurrency: number; delayMs: number }) {
    this.#clock = clock;
    this.#concurrency = concurrency;
    this.#delayMs = delayMs;
  }

  /**
   * Waits until a request may be sent.
   * @param again puts a retry before all requests that have not had a turn
   * @throws UpstreamError when the host was stopped; the abort reason of the signal
   */
  turn(signal: AbortSignal, again = false): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#stopped) return reject(new UpstreamError(this.#stopped));
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
        this.#next();
      };
      const waiting: Waiting = {
        begin(turn) {
          signal.removeEventListener('abort', leave);
          resolve(turn);
        },
        fail(reason) {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      if (again) this.#queue.unshift(waiting);
      else this.#queue.push(waiting);
      this.#next();
    });
  }

  /** Sets the minimum delay from now on, up to 10 s. */
  delayAtLeast(milliseconds: number): void {
    const delayMs = Math.min(milliseconds, MAX_DELAY_MS);
    if (delayMs <= this.#delayMs) return;
    this.#nextStart += delayMs - this.#delayMs;
    this.#delayMs = delayMs;
    this.#next();
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Records a response other than 429 or 503. */
  answered(): void {
    this.#givenUp = 0;
    this.#failures = 0;
  }

  /**
   * Notes a request without response. After five failures that took at least 5 s each, the host is stopped.
   * @param why in the wording of an `UpstreamError`
   */
  failed({ begunAt }: Turn, why: string): void {
    if (this.#clock.now() - begunAt < MIN_COUNTED_FAILURE_MS) return;
    this.#failures += 1;
    if (this.#failures === MAX_FAILURES) this.#stop(why);
  }

  /**
   * Pauses the host, then halves its pace. A turn that began before the last slowdown says nothing about the present
   * pace, so several responses to one burst slow the host down only once. Stops the host when slowing down does not
   * help.
   * @param status the status of the response that says it is busy
   * @param givesUp true when the address will not be requested again
   */
  busy({ slowed }: Turn, { status, waitMs, givesUp }: { status: number; waitMs: number; givesUp: boolean }): void {
    this.#busy += 1;
    if (givesUp) this.#givenUp += 1;
    if (this.#busy === MAX_BUSY_RESPONSES || this.#givenUp === MAX_ADDRESSES_GIVEN_UP) {
      this.#stop(`status ${status} again and again, so that its host is not asked any more`);
      return;
    }
    this.#nextStart = Math.max(this.#nextStart, this.#clock.now() + waitMs);
    if (slowed === this.#slowed) {
      this.#slowed += 1;
      this.#delayMs = Math.min(Math.max(this.#delayMs * 2, MIN_BUSY_DELAY_MS), MAX_DELAY_MS);
      this.#concurrency = Math.max(this.#concurrency - 1, 1);
    }
    this.#next();
  }

  #stop(why: string): void {
    this.#stopped = why;
    for (const { fail } of this.#queue.splice(0)) fail(new UpstreamError(why));
    this.#next();
  }

  #next(): void {
    this.#cancelTimer();
    this.#cancelTimer = () => {};
    while (this.#running < this.#concurrency) {
      if (this.#queue.length === 0) return;
      const now = this.#clock.now();
      if (now < this.#nextStart) {
        this.#cancelTimer = this.#clock.after(this.#nextStart - now, () => this.#next());
        return;
      }
      this.#nextStart = now + this.#delayMs;
      this.#running += 1;
      this.#queue.shift()?.begin(this.#begun());
    }
  }

  #begun(): Turn {
    let ended = false;
    return {
      begunAt: this.#clock.now(),
      slowed: this.#slowed,
      end: () => {
        if (ended) return;
        ended = true;
        this.#running -= 1;
        this.#next();
      },
    };
  }
}
