import { uploadsOverloaded } from './errors.ts';

/** Limits the memory that request bodies and results being sent may take together. */
export class Uploads {
  readonly #buffers: SharedMemory;
  readonly #texts: SharedMemory;

  /**
   * @param limitBytes for bodies and results, outside the JavaScript heap
   * @param maxTextBytes for texts, in the JavaScript heap; default: no limit
   */
  constructor(limitBytes: number, maxTextBytes = Number.POSITIVE_INFINITY) {
    this.#buffers = new SharedMemory(limitBytes);
    this.#texts = new SharedMemory(maxTextBytes);
  }

  get heldBytes(): number {
    return this.#buffers.heldBytes;
  }

  get heldTextBytes(): number {
    return this.#texts.heldBytes;
  }

  /**
   * Opens a reservation for one request: for its body, later for its result. Free it with `release`.
   * @param account beyond its first request, it may hold at most as much as
   *   it leaves free, so that slow uploads of one account do not block others
   */
  open(account?: string): MemoryReservation {
    const [buffers, texts] = [this.#buffers.open(account), this.#texts.open(account)];
    return {
      reserve: buffers.reserve,
      reserveText: texts.reserve,
      release: (kept = 0) => {
        buffers.release(kept);
        if (kept === 0) texts.release(0);
      },
    };
  }
}

/** One kind of memory, with the bytes that each account holds. */
class SharedMemory {
  readonly #limitBytes: number;
  readonly #heldByAccount = new Map<string, number>();
  heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  open(account?: string): { reserve(bytes: number): void; release(kept: number): void } {
    let held = 0;
    const hold = (bytes: number) => {
      this.heldBytes += bytes - held;
      if (account !== undefined) {
        const total = (this.#heldByAccount.get(account) ?? 0) + bytes - held;
        if (total > 0) this.#heldByAccount.set(account, total);
        else this.#heldByAccount.delete(account);
      }
      held = bytes;
    };
    return {
      reserve: (bytes) => {
        const more = bytes - held;
        if (more <= 0) return;
        // A single request always fits, so that a small setting does not make large files impossible.
        const alone = this.heldBytes === held;
        const free = this.#limitBytes - this.heldBytes;
        const ofAccount = account === undefined ? 0 : (this.#heldByAccount.get(account) ?? 0);
        const isFirst = ofAccount === held;
        if (!alone && (more > free || (!isFirst && ofAccount + more > free))) throw uploadsOverloaded();
        hold(bytes);
      },
      release: (kept) => hold(Math.min(held, kept)),
    };
  }
}

export interface MemoryReservation {
  /**
   * Ensures that `bytes` in total are reserved for this request.
   * @throws Failure 503 `overloaded`
   */
  reserve(bytes: number): void;
  /**
   * The same for texts, which are in the JavaScript heap.
   * @throws Failure 503 `overloaded`
   */
  reserveText(bytes: number): void;
  /** @param kept bytes that stay reserved, together with all texts; default: nothing stays */
  release(kept?: number): void;
}
