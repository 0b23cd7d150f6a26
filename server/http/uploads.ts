import { uploadsOverloaded } from './errors.ts';

/** The memory that bodies being received and results being sent may take together. */
export class Uploads {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Room for one request: its body, later its result; give it back with `release`. */
  open(): UploadRoom {
    let held = 0;
    return {
      reserve: (bytes) => {
        const more = bytes - held;
        if (more <= 0) return;
        // A lone request always fits, so that a small setting does not make large files impossible.
        const alone = this.#heldBytes === held;
        if (!alone && this.#heldBytes + more > this.#limitBytes) throw uploadsOverloaded();
        this.#heldBytes += more;
        held = bytes;
      },
      release: (kept = 0) => {
        this.#heldBytes -= Math.max(0, held - kept);
        held = Math.min(held, kept);
      },
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
