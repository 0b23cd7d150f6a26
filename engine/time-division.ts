/**
 * Processor time of tasks on systems that do not report it per thread: the time of the process is divided among the
 * tasks by weight. An estimate: it includes V8's own threads, and is too low while the main thread waits for a
 * processor.
 */

/** The clocks, in milliseconds. */
export interface DivisionClocks {
  /** Processor time of all threads of the process except the main thread, from any origin. */
  processor(): number;
  /** Wall time, from any origin. */
  wall(): number;
}

export interface Meter {
  /** Processor time until now, in milliseconds. Never decreases. */
  usedMs(): number;
  close?(): void;
}

/**
 * Maximum negative remainder. The process counter advances in ticks, of 16 ms on Windows, while the main thread's
 * activity is known immediately. A larger deficit is not this delay: the main thread was active without a processor, on
 * a busy machine.
 */
const MAX_DEBT_MS = 20;

interface Share {
  weight: number;
  usedMs: number;
  /** Wall time in which the task cannot have used a processor, as far as counted. */
  idleMs: number;
}

export class TimeDivision {
  readonly #clocks: DivisionClocks;
  readonly #shares = new Set<Share>();
  #lastProcessor = 0;
  #lastWall = 0;
  /** Time not divided yet. Below zero if more was divided than was used. */
  #restMs = 0;

  constructor(clocks: DivisionClocks) {
    this.#clocks = clocks;
  }

  /** @param weight of the task in the system's scheduler, relative to other tasks */
  open(weight: number): Required<Meter> {
    this.#divide();
    const share: Share = { weight, usedMs: 0, idleMs: 0 };
    this.#shares.add(share);
    return {
      usedMs: () => {
        this.#divide();
        return share.usedMs;
      },
      close: () => {
        this.#divide();
        this.#shares.delete(share);
      },
    };
  }

  /**
   * Distributes the time used since the last call by weight. A task gets at most the elapsed wall time; the rest goes
   * to the other tasks.
   */
  #divide(): void {
    const processor = this.#clocks.processor();
    const wall = this.#clocks.wall();
    const passed = wall - this.#lastWall;
    let left = this.#restMs + processor - this.#lastProcessor;
    this.#lastProcessor = processor;
    this.#lastWall = wall;
    const shares = [...this.#shares].toSorted((one, other) => other.weight - one.weight);
    let weights = shares.reduce((sum, { weight }) => sum + weight, 0);
    // Heaviest first: the excess above its bound goes to the lighter tasks.
    for (const share of shares) {
      const part = Math.max(0, Math.min(passed, (left * share.weight) / weights));
      share.usedMs += part;
      share.idleMs += passed - part;
      left -= part;
      weights -= share.weight;
    }
    this.#restMs = this.#remainder(left);
  }

  /**
   * The counter lags: the remainder was used earlier. The part that these tasks cannot have used since they began was
   * used by others.
   */
  #remainder(leftMs: number): number {
    if (this.#shares.size === 0) return 0;
    const idleMs = [...this.#shares].reduce((sum, share) => sum + share.idleMs, 0);
    return Math.max(-MAX_DEBT_MS, Math.min(idleMs, leftMs));
  }
}
