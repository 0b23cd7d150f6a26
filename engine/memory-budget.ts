/**
 * Memory for decoded pictures that all running tasks may hold together. A limit for each task alone would let as many of the largest
 * run at once as there are workers. What is counted is estimated from the header before a task starts; while it is too much, the
 * task waits in its queue.
 */

/** Tasks that hold less are not counted, so that small ones never wait for large ones, nor keep them waiting. */
const MIN_COUNTED_BYTES = 16 * 2 ** 20;

export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #listeners = new Set<() => void>();
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  isCounted(bytes: number): boolean {
    return bytes >= MIN_COUNTED_BYTES;
  }

  /** A lone task always fits. */
  fits(bytes: number): boolean {
    return !this.isCounted(bytes) || this.#heldBytes === 0 || this.#heldBytes + bytes <= this.#limitBytes;
  }

  take(bytes: number): void {
    if (this.isCounted(bytes)) this.#heldBytes += bytes;
  }

  /** Gives back what was taken and tells those who may wait for it. */
  release(bytes: number): void {
    if (!this.isCounted(bytes)) return;
    this.#heldBytes -= bytes;
    for (const listener of [...this.#listeners]) listener();
  }

  /** @returns what ends the listening */
  onRelease(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
