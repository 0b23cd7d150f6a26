/**
 * Memory that the workers of all pools may hold together. A limit for each task alone would let as many of the largest run at once
 * as there are workers. What a task holds is estimated from the header before it starts; while there is no room for it, the task
 * waits in its queue. Memory that workers have grown to and keep after their tasks counts too: WebAssembly memory never shrinks.
 */

/** Part of the budget that idle workers may keep while no task asks for it. */
const MAX_KEPT_SHARE = 1 / 2;
/** Tasks that hold less are not counted, so that small ones never wait for large ones, nor keep them waiting. */
const MIN_COUNTED_BYTES = 16 * 2 ** 20;

export function isCounted(bytes: number): boolean {
  return bytes >= MIN_COUNTED_BYTES;
}

/** The workers of a pool. */
export interface MemoryHolder {
  /** What they keep beyond what the tasks that run on them are counted with, in bytes. */
  keptBytes(): number;
  /** The part of it that the worker keeps which would run the next task, in bytes. */
  reusableBytes(): number;
  /**
   * Replaces the workers that keep memory, those with a task after it.
   * @param nextTaskBytes the worker that would run the next task is spared when it keeps at most this
   */
  giveBack(nextTaskBytes: number): void;
  /** Called when there may be room for a task that waits. */
  onRoom(): void;
}

/** Of a queue that has no workers. */
export const NO_WORKERS: MemoryHolder = { keptBytes: () => 0, reusableBytes: () => 0, giveBack() {}, onRoom() {} };

export class MemoryBudget {
  readonly limitBytes: number;
  readonly #holders = new Set<MemoryHolder>();
  /** What running tasks are counted with, in bytes. */
  runningBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  join(holder = NO_WORKERS): MemoryShare {
    this.#holders.add(holder);
    return new MemoryShare(this, holder);
  }

  leave(holder: MemoryHolder): void {
    this.#holders.delete(holder);
  }

  get holders(): Iterable<MemoryHolder> {
    return this.#holders;
  }

  /** What the workers of all pools keep, in bytes. */
  get keptBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) bytes += holder.keptBytes();
    return bytes;
  }

  /** Tells all pools that there may be room. */
  announceRoom(): void {
    for (const holder of [...this.#holders]) holder.onRoom();
  }
}

/** The budget as one pool uses it. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  readonly #holder: MemoryHolder;

  constructor(budget: MemoryBudget, holder: MemoryHolder) {
    this.#budget = budget;
    this.#holder = holder;
  }

  /** Whether a task of the pool may start. A lone task always may, once other workers have given back what they keep. */
  fits(bytes: number): boolean {
    const { limitBytes, runningBytes } = this.#budget;
    if (!isCounted(bytes) || limitBytes === Number.POSITIVE_INFINITY) return true;
    const reusable = this.#holder.reusableBytes();
    const keptByOthers = this.#budget.keptBytes - reusable;
    if (runningBytes === 0 && keptByOthers === 0) return true;
    return runningBytes + keptByOthers + Math.max(bytes, reusable) <= limitBytes;
  }

  /** Makes workers give back what they keep, unless the task has to wait for running ones anyway. */
  makeRoom(bytes: number): void {
    const { limitBytes, runningBytes, holders } = this.#budget;
    if (runningBytes > 0 && runningBytes + bytes > limitBytes) return;
    for (const holder of [...holders]) holder.giveBack(holder === this.#holder ? bytes : 0);
  }

  /** Workers keep more than they may while nothing needs it. */
  get isKeptTooMuch(): boolean {
    return this.#budget.keptBytes > MAX_KEPT_SHARE * this.#budget.limitBytes;
  }

  take(bytes: number): void {
    if (isCounted(bytes)) this.#budget.runningBytes += bytes;
  }

  /** Gives back what was taken. */
  release(bytes: number): void {
    if (!isCounted(bytes)) return;
    this.#budget.runningBytes -= bytes;
    this.#budget.announceRoom();
  }
}
