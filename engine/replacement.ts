/**
 * When a worker is to be replaced. It says so itself before its answer goes out: Piscina gives a worker the next task before
 * the pool has read the answer, and the pool would end the worker under it.
 */

export type ReplaceReason = 'memory' | 'poisoned';

/** What workers may come to before they are replaced. */
export interface WorkerLimits {
  /** Size of the WebAssembly memories of one, in bytes. */
  wasmBytes: number;
  /** Work after which one is replaced, in milliseconds. */
  workedMs: number;
}

/** The state of a worker after a task. */
export interface WorkerState {
  wasmBytes: number;
  /** Of this task. */
  runMs: number;
  /** Of all tasks since the worker began. */
  workedMs: number;
  /** Picture handles still alive; always 0 unless there is a leak. */
  liveHandles: number;
  /** Its state can no longer be trusted: a WebAssembly trap. */
  poisoned: boolean;
}

/** Thread ids go up for ever, but few workers live at a time: their ids take the places in turn. */
const PLACES = 1024;
/** Where the work of all workers since the last one that was replaced for its work is counted, in whole milliseconds. */
const WORK = PLACES;
/** Share of its time that a worker has to have worked when its turn comes: not the one that has just begun. */
const LEAST_SHARE = 0.75;

/** What the workers of a pool and the pool know of each other, in memory that all of them share. */
export class Replacement {
  /** To be handed to the workers: at the place of each the id of the last one that is spent. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer((PLACES + 1) * Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  /** Decides about a worker after a task. One that is to be replaced is spent from here on. */
  decide(threadId: number, state: WorkerState, limits: WorkerLimits): ReplaceReason | undefined {
    const reason = this.#reason(state, limits);
    if (reason) this.mark(threadId);
    return reason;
  }

  /** A worker is spent: it gets no task after the one that it has. */
  mark(threadId: number): void {
    Atomics.store(this.shared, threadId % PLACES, threadId);
  }

  isSpent(threadId: number): boolean {
    return Atomics.load(this.shared, threadId % PLACES) === threadId;
  }

  #reason(state: WorkerState, limits: WorkerLimits): ReplaceReason | undefined {
    // Counted of every worker, whatever becomes of it.
    const hasTurn = this.#hasTurn(state, limits.workedMs);
    if (state.poisoned || state.liveHandles > 0) return 'poisoned';
    return state.wasmBytes > limits.wasmBytes || hasTurn ? 'memory' : undefined;
  }

  /**
   * Workers take turns, each after so much work of all of them together: those that began together would otherwise grow
   * together, and hold the most at the same time.
   */
  #hasTurn({ runMs, workedMs }: WorkerState, limitMs: number): boolean {
    if (limitMs === Number.POSITIVE_INFINITY) return false;
    const ran = Math.ceil(runMs);
    const sum = Atomics.add(this.shared, WORK, ran) + ran;
    if (sum < limitMs || workedMs < LEAST_SHARE * limitMs) return false;
    // Another one may have taken the turn since.
    return Atomics.compareExchange(this.shared, WORK, sum, 0) === sum;
  }
}
