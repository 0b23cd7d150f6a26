/**
 * The processor time of tasks where the system does not tell that of single threads: what the process uses is divided among the
 * tasks by weight. An estimate: the threads of V8 are part of it, and where the main thread waits for a processor it is too little.
 */

/** What is measured, in milliseconds. */
export interface DivisionClocks {
  /** Of all threads of the process but the main one, since any start. */
  processor(): number;
  /** Since any start. */
  wall(): number;
}

export interface Meter {
  /** Processor time until now, in milliseconds. Never falls. */
  usedMs(): number;
  close?(): void;
}

/**
 * The counter of a process goes up in ticks, of 16 ms on Windows, and the main thread is known to be active at once. What is further
 * below zero is no such delay: the main thread was active without a processor, on a machine that is busy.
 */
const MAX_DEBT_MS = 20;

interface Share {
  weight: number;
  usedMs: number;
  /** Wall time in which it cannot have used a processor, as far as has been counted. */
  idleMs: number;
}

export class TimeDivision {
  readonly #clocks: DivisionClocks;
  readonly #shares = new Set<Share>();
  #lastProcessor = 0;
  #lastWall = 0;
  /** Not divided yet. Below zero: more was divided than has been used. */
  #restMs = 0;

  constructor(clocks: DivisionClocks) {
    this.#clocks = clocks;
  }

  /** @param weight share of the processor beside that of other tasks, as the scheduler of the system weighs it */
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

  /** Adds what was used since the last call, by weight; what would be more than the time that has passed goes to the others. */
  #divide(): void {
    const processor = this.#clocks.processor();
    const wall = this.#clocks.wall();
    const passed = wall - this.#lastWall;
    let left = this.#restMs + processor - this.#lastProcessor;
    this.#lastProcessor = processor;
    this.#lastWall = wall;
    const shares = [...this.#shares].toSorted((one, other) => other.weight - one.weight);
    let weights = shares.reduce((sum, { weight }) => sum + weight, 0);
    // The heaviest first: what exceeds its bound is there for the lighter ones.
    for (const share of shares) {
      const part = Math.max(0, Math.min(passed, (left * share.weight) / weights));
      share.usedMs += part;
      share.idleMs += passed - part;
      left -= part;
      weights -= share.weight;
    }
    this.#restMs = this.#carried(left);
  }

  /** The counter is late: what is left was used before. What these tasks cannot have used since they began, others have. */
  #carried(leftMs: number): number {
    if (this.#shares.size === 0) return 0;
    const idleMs = [...this.#shares].reduce((sum, share) => sum + share.idleMs, 0);
    return Math.max(-MAX_DEBT_MS, Math.min(idleMs, leftMs));
  }
}
