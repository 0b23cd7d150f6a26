import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../base/clock.ts';

interface Timer {
  at: number;
  milliseconds: number;
  work: () => void;
}

/** A clock that stands still until a test advances it. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  readonly #changes = new EventEmitter();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, work: () => void): () => void {
    const timer = { at: this.#now + milliseconds, milliseconds, work };
    this.#timers.add(timer);
    this.#changes.emit('timer');
    return () => void this.#timers.delete(timer);
  }

  /** Like `AbortSignal.timeout`. */
  timeout = (milliseconds: number): AbortSignal => {
    const controller = new AbortController();
    this.after(milliseconds, () => controller.abort(new DOMException('too late', 'TimeoutError')));
    return controller.signal;
  };

  /** Advances the clock and runs each timer that is due at its time. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.work();
    }
    this.#now = end;
  }

  /** Number of pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Resolves when a timer with this delay is pending. */
  async untilWaiting(milliseconds: number): Promise<void> {
    while (![...this.#timers].some((timer) => timer.milliseconds === milliseconds)) await once(this.#changes, 'timer');
  }

  #nextUntil(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((one, other) => one.at - other.at)[0];
  }
}
