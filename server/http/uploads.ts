import { uploadsOverloaded } from './errors.ts';

/** The memory that bodies being received and results being sent may take together. */
export class Uploads {
  readonly #limitBytes: number;
  #heldBytes = 0;
  /** Bytes held by each account, if any. */
  readonly #heldByAccount = new Map<string, number>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Room for one request: its body, later its result; give it back with `release`.
   * @param account may hold as much as it leaves free beside its first request, so that slow uploads of one keep no other out
   */
  open(account?: string): UploadRoom {
    let held = 0;
    const hold = (bytes: number) => {
      this.#heldBytes += bytes - held;
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
        // A lone request always fits, so that a small setting does not make large files impossible.
        const alone = this.#heldBytes === held;
        const free = this.#limitBytes - this.#heldBytes;
        const ofAccount = account === undefined ? 0 : (this.#heldByAccount.get(account) ?? 0);
        const isFirst = ofAccount === held;
        if (!alone && (more > free || (!isFirst && ofAccount + more > free))) throw uploadsOverloaded();
        hold(bytes);
      },
      release: (kept = 0) => hold(Math.min(held, kept)),
    };
  }
}

export interface UploadRoom {
  /**
   * Makes sure that `bytes` in all are set aside for this request.
   * @throws Failure 503 `overloaded`
   */
  reserve(bytes: number): void;
  /** @param kept bytes that stay set aside */
  release(kept?: number): void;
}
