/**
 * Limits the memory that the workers of all pools hold together. A limit per task alone would let as many of the
 * largest tasks run at once as there are workers. The memory of a task is estimated from the header before it starts;
 * while there is not enough, the task waits in its queue. Memory that workers keep after their tasks also counts,
 * because WebAssembly memory never shrinks.
 */
import type { Ticket } from './ticket.ts';

/** Part of the budget that idle workers may keep while no task needs it. */
const MAX_KEPT_SHARE = 1 / 2;
/**
 * After this time, in milliseconds, a pool whose tasks wait for memory goes first: other pools start no counted task
 * before one of its own. Most tasks end sooner, so an earlier claim is not needed.
 */
const CLAIM_AFTER_MS = 5000;
/** Tasks that need less are not counted, so that small tasks neither wait for large ones nor delay them. */
const MIN_COUNTED_BYTES = 16 * 2 ** 20;

export const isCounted = (bytes: number): boolean => bytes >= MIN_COUNTED_BYTES;

/** Memory that a task will hold, in bytes. */
export type MemoryNeed = Pick<Ticket, 'heldBytes' | 'bufferBytes'>;

/** The part of a need that memory already grown by the worker can serve, in bytes. */
export const reusableNeedBytes = ({ heldBytes, bufferBytes }: MemoryNeed): number => heldBytes - bufferBytes;

/** The workers of a pool. */
export interface MemoryHolder {
  /** Memory that they keep beyond what is counted for their running tasks, in bytes. */
  keptBytes(): number;
  /** Memory that they hold without any task, in bytes, excluding `keptBytes`. */
  idleBytes(): number;
  /** The part of `keptBytes` kept by the worker that would run the next task, in bytes. */
  reusableBytes(): number;
  /**
   * Replaces the workers that keep memory; busy ones after their task.
   * @param reusingBytes the worker that would run the next task is spared if it keeps at most this
   */
  giveBack(reusingBytes: number): void;
  /** Called when a waiting task may fit. */
  onRoom(): void;
}

/** For a queue that has no workers. */
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
  /** Memory counted for running tasks, in bytes. */
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

  /** Memory kept by the workers of all pools, in bytes. */
  get keptBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) bytes += holder.keptBytes();
    return bytes;
  }

  /** Memory held by the workers of all pools without any task, in bytes. They never give it back for a task. */
  get idleBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) bytes += holder.idleBytes();
    return bytes;
  }

  /** Notifies all pools that a waiting task may fit. */
  announceRoom(): void {
    for (const holder of [...this.#holders]) holder.onRoom();
  }
}

/** One pool's share of the budget. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  readonly holder: MemoryHolder;
  /** Since when a task of the pool has waited only for memory, in milliseconds. */
  waitingSince: number | undefined;
  /** Whether the waiting task has started since the last call of `setWaiting`. */
  #hasStarted = false;

  constructor(budget: MemoryBudget, holder: MemoryHolder) {
    this.#budget = budget;
    this.holder = holder;
  }

  /**
   * Whether a task of the pool may start. A single task always may, once other workers have given back the memory they
   * keep.
   * @param now in milliseconds, of the clock shared by all pools
   */
  fits(need: MemoryNeed, now: number): boolean {
    const { limitBytes, runningBytes } = this.#budget;
    if (!isCounted(need.heldBytes) || limitBytes === Number.POSITIVE_INFINITY) return true;
    if (this.#budget.isClaimedBefore(this, now)) return false;
    const reusable = this.holder.reusableBytes();
    const keptByOthers = this.#budget.keptBytes - reusable;
    const reusing = reusableNeedBytes(need);
    if (runningBytes === 0 && keptByOthers === 0 && reusable <= reusing) return true;
    const { idleBytes } = this.#budget;
    return runningBytes + keptByOthers + idleBytes + need.bufferBytes + Math.max(reusing, reusable) <= limitBytes;
  }

  /** Makes workers give back the memory they keep, unless the task must wait for running ones anyway. */
  makeRoom(need: MemoryNeed): void {
    const { limitBytes, runningBytes, holders } = this.#budget;
    if (runningBytes > 0 && runningBytes + need.heldBytes > limitBytes) return;
    for (const holder of [...holders]) holder.giveBack(holder === this.holder ? reusableNeedBytes(need) : 0);
  }

  /**
   * Called whenever the pool has started all tasks that it can. @param isWaiting whether a task waits only for memory
   */
  setWaiting(isWaiting: boolean, now: number): void {
    const isClaimOver = this.#hasStarted || (!isWaiting && this.waitingSince !== undefined);
    this.#hasStarted = false;
    this.waitingSince = isWaiting ? (this.waitingSince ?? now) : undefined;
    // Other pools may have waited for it.
    if (isClaimOver) this.#budget.announceRoom();
  }

  /** Whether the workers keep more than allowed while no task needs it. */
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

  /** Gives back what `take` took. */
  release(bytes: number): void {
    if (!isCounted(bytes)) return;
    this.#budget.runningBytes -= bytes;
    this.#budget.announceRoom();
  }
}
