/**
 * The pace that one host is asked at: first come, first served, slower when it says that it is too busy, and not at all any
 * more when it goes on saying so or does not answer.
 */

import type { Clock } from '../../clock.ts';
import { AnswerFault } from '../../http/exchange.ts';

/** Of a host, whatever it asks for. */
const LONGEST_DELAY_MS = 10_000;
/** The least delay of a host that was too busy, in place of one that cannot be doubled. */
const BUSY_DELAY_MS = 200;
/** Answers that it is too busy, in all: with each it may ask for a minute. */
const MOST_BUSY = 30;
/** Addresses that were given up for such answers, with no other answer in between: one may be busy by itself. */
const MOST_GIVEN_UP = 2;
/** Failures with no answer in between. */
const MOST_FAILURES = 5;
/** A failure that came sooner kept nobody waiting. */
const LONG_MS = 5000;

/** Leave to send one request. */
export interface Turn {
  /** Milliseconds of the clock. */
  readonly begunAt: number;
  /** How often the host had been slowed down when the turn began. */
  readonly slowed: number;
  /** Lets the next one in. */
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
   * Resolves when a request may be sent.
   * @param again puts a request that has had a turn before all that have not
   * @throws AnswerFault when the host was stopped; the reason of the signal
   */
  turn(signal: AbortSignal, again = false): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#stopped) return reject(new AnswerFault(this.#stopped));
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

  /** Keeps at least this delay from now on, up to 10 seconds. */
  delayAtLeast(milliseconds: number): void {
    const delayMs = Math.min(milliseconds, LONGEST_DELAY_MS);
    if (delayMs <= this.#delayMs) return;
    this.#nextStart += delayMs - this.#delayMs;
    this.#delayMs = delayMs;
    this.#next();
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** There was an answer, and not that the host is too busy. */
  answered(): void {
    this.#givenUp = 0;
    this.#failures = 0;
  }

  /**
   * There was no answer. After five that kept somebody waiting nothing is started any more.
   * @param why in the words of an `AnswerFault`
   */
  failed({ begunAt }: Turn, why: string): void {
    if (this.#clock.now() - begunAt < LONG_MS) return;
    this.#failures += 1;
    if (this.#failures === MOST_FAILURES) this.#stop(why);
  }

  /**
   * Starts nothing for a while, and from then on half as much. What was sent before the last slowing down says nothing
   * about the pace since, so several answers to one burst slow it down once. Starts nothing any more when it does not help.
   * @param status that says it
   * @param givesUp the address is not asked for again
   */
  busy({ slowed }: Turn, { status, waitMs, givesUp }: { status: number; waitMs: number; givesUp: boolean }): void {
    this.#busy += 1;
    if (givesUp) this.#givenUp += 1;
    if (this.#busy === MOST_BUSY || this.#givenUp === MOST_GIVEN_UP) {
      this.#stop(`status ${status} again and again, so that its host is not asked any more`);
      return;
    }
    this.#nextStart = Math.max(this.#nextStart, this.#clock.now() + waitMs);
    if (slowed === this.#slowed) {
      this.#slowed += 1;
      this.#delayMs = Math.min(Math.max(this.#delayMs * 2, BUSY_DELAY_MS), LONGEST_DELAY_MS);
      this.#concurrency = Math.max(this.#concurrency - 1, 1);
    }
    this.#next();
  }

  #stop(why: string): void {
    this.#stopped = why;
    for (const { fail } of this.#queue.splice(0)) fail(new AnswerFault(why));
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
