/**
 * Decides when a worker is replaced. The worker marks itself before it sends its reply, because Piscina gives it the
 * next task before the pool has read the reply, and the pool would then end the worker during that task.
 */

export const REPLACE_REASONS = ['memory', 'poisoned'] as const;
export type ReplaceReason = (typeof REPLACE_REASONS)[number];

/** Limits above which a worker is replaced. */
export interface WorkerLimits {
  /** Size of its WebAssembly memories, in bytes. */
  wasmBytes: number;
  /** Work after which one worker is replaced, in milliseconds. */
  workedMs: number;
}

/** The state of a worker after a task. */
export interface WorkerState {
  wasmBytes: number;
  /** Of this task. */
  runMs: number;
  /** Of all tasks since the worker started. */
  workedMs: number;
  /** libvips image handles still alive; always 0 unless there is a leak. */
  liveHandles: number;
  /** Whether its state can no longer be trusted, after a WebAssembly trap. */
  poisoned: boolean;
}

/**
 * Number of places for thread ids. Ids grow without limit, but few workers live at a time, so each uses the place of
 * its id modulo this.
 */
const MAX_THREAD_IDS = 1024;
/** Index of the counter of all workers' work since one was last replaced for its work, in whole milliseconds. */
const WORK = MAX_THREAD_IDS;
/** Minimum share of the limit that a worker must have worked to be replaced, so that a new worker is not. */
const MIN_WORK_SHARE = 0.75;

/** State shared by the workers of a pool and the pool, in shared memory. */
export class Replacement {
  /** The memory to pass to the workers: each place contains the id of the last marked worker. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer((MAX_THREAD_IDS + 1) * Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  /** Decides about a worker after a task, and marks it if it is to be replaced. */
  decide(threadId: number, state: WorkerState, limits: WorkerLimits): ReplaceReason | undefined {
    const reason = this.#reason(state, limits);
    if (reason) this.mark(threadId);
    return reason;
  }

  /** Marks a worker: it gets no more tasks after its current one. */
  mark(threadId: number): void {
    Atomics.store(this.shared, threadId % MAX_THREAD_IDS, threadId);
  }

  isSpent(threadId: number): boolean {
    return Atomics.load(this.shared, threadId % MAX_THREAD_IDS) === threadId;
  }

  #reason(state: WorkerState, limits: WorkerLimits): ReplaceReason | undefined {
    // Must run for every worker, because it also counts the work.
    const hasTurn = this.#hasTurn(state, limits.workedMs);
    if (state.poisoned || state.liveHandles > 0) return 'poisoned';
    return state.wasmBytes > limits.wasmBytes || hasTurn ? 'memory' : undefined;
  }

  /**
   * Replaces one worker each time all workers together have done this much work. Otherwise workers that started
   * together would grow together, and need the most memory at the same time.
   */
  #hasTurn({ runMs, workedMs }: WorkerState, limitMs: number): boolean {
    if (limitMs === Number.POSITIVE_INFINITY) return false;
    const ran = Math.ceil(runMs);
    const sum = Atomics.add(this.shared, WORK, ran) + ran;
    if (sum < limitMs || workedMs < MIN_WORK_SHARE * limitMs) return false;
    // Another worker may have been selected meanwhile.
    return Atomics.compareExchange(this.shared, WORK, sum, 0) === sum;
  }
}
