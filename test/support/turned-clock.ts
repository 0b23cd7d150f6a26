import type { Clock } from '../../server/sites/fetch/clock.ts';

interface Timer {
  at: number;
  milliseconds: number;
  run: () => void;
}

/** A clock that stands still until it is turned. */
export class TurnedClock implements Clock {
  #now: number;
  #timers: Timer[] = [];
  #watchers: (() => void)[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, milliseconds, run };
    this.#timers.push(timer);
    for (const tell of this.#watchers) tell();
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Milliseconds of the timers that wait. */
  get waiting(): number[] {
    return this.#timers.map(({ milliseconds }) => milliseconds);
  }

  /** Resolves when something waits for this long. */
  async timer(milliseconds: number): Promise<void> {
    while (!this.waiting.includes(milliseconds)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
      this.#watchers = [];
    }
  }

  /** Goes on, and runs what is due on the way at its time. */
  turn(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
