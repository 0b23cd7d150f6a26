/**
 * When a worker is to be replaced. It says so itself before its answer goes out: Piscina gives a worker the next task before
 * the pool has read the answer, and the pool would end the worker under it.
 */

export type ReplaceReason = 'memory' | 'poisoned';

/** What a worker may come to before it is replaced. */
export interface WorkerLimits {
  /** Size of its WebAssembly memories, in bytes. */
  wasmBytes: number;
  /** Work that it has done, in milliseconds. */
  runMs: number;
}

/** The state of a worker after a task. */
export interface WorkerState {
  wasmBytes: number;
  /** Since the worker began. */
  runMs: number;
  /** Picture handles still alive; always 0 unless there is a leak. */
  liveHandles: number;
  /** Its state can no longer be trusted: a WebAssembly trap. */
  poisoned: boolean;
}

export function reasonToReplace(state: WorkerState, limits: WorkerLimits): ReplaceReason | undefined {
  if (state.poisoned || state.liveHandles > 0) return 'poisoned';
  return state.wasmBytes > limits.wasmBytes || state.runMs > limits.runMs ? 'memory' : undefined;
}

/** Thread ids go up for ever, but few workers live at a time: their ids take the places in turn. */
const PLACES = 1024;

/** The workers of a pool that are to be replaced, in memory that all of them share. */
export class SpentWorkers {
  /** To be handed to the workers: at the place of each the id of the last one that is spent. */
  readonly places: Int32Array<SharedArrayBuffer>;

  constructor(places = new Int32Array(new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT))) {
    this.places = places;
  }

  add(threadId: number): void {
    Atomics.store(this.places, threadId % PLACES, threadId);
  }

  has(threadId: number): boolean {
    return Atomics.load(this.places, threadId % PLACES) === threadId;
  }
}
