/**
 * Memory that the workers of all pools may hold together. A limit for each task alone would let as many of the largest run at once
 * as there are workers. What a task holds is estimated from the header before it starts; while there is no room for it, the task
 * waits in its queue. Memory that workers have grown to and keep after their tasks counts too: WebAssembly memory never shrinks.
 */
import type { Ticket } from './ticket.ts';

/** Part of the budget that idle workers may keep while no task asks for it. */
const MAX_KEPT_SHARE = 1 / 2;
/**
 * After this time a pool whose tasks wait for memory goes first, in milliseconds: others start no counted task before one of its own.
 * Sooner it need not, because most tasks end sooner.
 */
const CLAIM_AFTER_MS = 5000;
/** Tasks that hold less are not counted, so that small ones never wait for large ones, nor keep them waiting. */
const MIN_COUNTED_BYTES = 16 * 2 ** 20;

export function isCounted(bytes: number): boolean {
  return bytes >= MIN_COUNTED_BYTES;
}

/** What a task will hold, in bytes. */
export type MemoryNeed = Pick<Ticket, 'heldBytes' | 'bufferBytes'>;

/** The part of a need for which memory serves that the worker has grown before, in bytes. */
export function reusingBytes({ heldBytes, bufferBytes }: MemoryNeed): number {
  return heldBytes - bufferBytes;
}

/** The workers of a pool. */
export interface MemoryHolder {
  /** What they keep beyond what the tasks that run on them are counted with, in bytes. */
  keptBytes(): number;
  /** What they hold without any task, in bytes; without those of `keptBytes`. */
  idleBytes(): number;
  /** The part of it that the worker keeps which would run the next task, in bytes. */
  reusableBytes(): number;
  /**
   * Replaces the workers that keep memory, those with a task after it.
   * @param reusingBytes the worker that would run the next task is spared when it keeps at most this
   */
  giveBack(reusingBytes: number): void;
  /** Called when there may be room for a task that waits. */
  onRoom(): void;
}

/** Of a queue that has no workers. */
export const NO_WORKERS: MemoryHolder = {
  keptBytes: () => 0,
  idleBytes: () => 0,
  reusableBytes: () => 0,
  giveBack() {},
  onRoom() {},
};

export class MemoryBudget {
  readonly limitBytes: number;
  readonly #holders = new Set<MemoryHolder>();
  readonly #shares = new Set<MemoryShare>();
  /** What running tasks are counted with, in bytes. */
  runningBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  join(holder = NO_WORKERS): MemoryShare {
    const share = new MemoryShare(this, holder);
    this.#shares.add(share);
    this.#holders.add(holder);
    return share;
  }

  leave(holder: MemoryHolder): void {
    this.#holders.delete(holder);
    for (const share of this.#shares) if (share.holder === holder) this.#shares.delete(share);
    this.announceRoom();
  }

  /** Whether a task of another pool has waited so long for memory that it goes first. */
  isClaimedBefore(share: MemoryShare, now: number): boolean {
    const { waitingSince: own = now } = share;
    for (const { waitingSince } of this.#shares)
      if (waitingSince !== undefined && waitingSince < own && now - waitingSince >= CLAIM_AFTER_MS) return true;
    return false;
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

  /** What the workers of all pools hold without any task, in bytes. They never give it back for a task. */
  get idleBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) bytes += holder.idleBytes();
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
  readonly holder: MemoryHolder;
  /** Since when a task of the pool has waited for memory alone, in milliseconds. */
  waitingSince: number | undefined;
  /** The task that waited has started since `setWaiting` was last called. */
  #hasStarted = false;

  constructor(budget: MemoryBudget, holder: MemoryHolder) {
    this.#budget = budget;
    this.holder = holder;
  }

  /**
   * Whether a task of the pool may start. A lone task always may, once other workers have given back what they keep.
   * @param now in milliseconds, of the clock of all pools
   */
  fits(need: MemoryNeed, now: number): boolean {
    const { limitBytes, runningBytes } = this.#budget;
    if (!isCounted(need.heldBytes) || limitBytes === Number.POSITIVE_INFINITY) return true;
    if (this.#budget.isClaimedBefore(this, now)) return false;
    const reusable = this.holder.reusableBytes();
    const keptByOthers = this.#budget.keptBytes - reusable;
    const reusing = reusingBytes(need);
    if (runningBytes === 0 && keptByOthers === 0 && reusable <= reusing) return true;
    const { idleBytes } = this.#budget;
    return runningBytes + keptByOthers + idleBytes + need.bufferBytes + Math.max(reusing, reusable) <= limitBytes;
  }

  /** Makes workers give back what they keep, unless the task has to wait for running ones anyway. */
  makeRoom(need: MemoryNeed): void {
    const { limitBytes, runningBytes, holders } = this.#budget;
    if (runningBytes > 0 && runningBytes + need.heldBytes > limitBytes) return;
    for (const holder of [...holders]) holder.giveBack(holder === this.holder ? reusingBytes(need) : 0);
  }

  /** Called whenever the pool has started what it can. @param isWaiting whether a task waits for memory alone */
  setWaiting(isWaiting: boolean, now: number): void {
    const isClaimOver = this.#hasStarted || (!isWaiting && this.waitingSince !== undefined);
    this.#hasStarted = false;
    this.waitingSince = isWaiting ? (this.waitingSince ?? now) : undefined;
    // Other pools may have waited for it.
    if (isClaimOver) this.#budget.announceRoom();
  }

  /** Workers keep more than they may while nothing needs it. */
  get isKeptTooMuch(): boolean {
    return this.#budget.keptBytes > MAX_KEPT_SHARE * this.#budget.limitBytes;
  }

  take(bytes: number): void {
    if (!isCounted(bytes)) return;
    this.#budget.runningBytes += bytes;
    // The next task of the pool has not waited yet.
    this.#hasStarted ||= this.waitingSince !== undefined;
    this.waitingSince = undefined;
  }

  /** Gives back what was taken. */
  release(bytes: number): void {
    if (!isCounted(bytes)) return;
    this.#budget.runningBytes -= bytes;
    this.#budget.announceRoom();
  }
}
