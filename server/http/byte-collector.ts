/**
 * Collects the chunks of a small body in one ArrayBuffer. The buffer is copied each time it grows, so use a
 * BodyCollector for bodies that may have more than a few MB. Allocates nothing before the first byte.
 */

const START_BYTES = 64 * 1024;

export class ByteCollector {
  #bytes = new Uint8Array(0);
  #length = 0;

  /** Bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Removes and returns the bytes from `start` to the end. They are valid until the next push. */
  cut(start: number): Uint8Array {
    const rest = this.#bytes.subarray(start, this.#length);
    this.#length = start;
    return rest;
  }

  /**
   * Returns exactly the bytes collected: without spare capacity,
   * in no shared pool. The collector must not be used again.
   */
  finish(): ArrayBuffer {
    const { buffer } = this.#bytes;
    return this.#length === buffer.byteLength ? buffer : buffer.slice(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, START_BYTES, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
