/**
 * Gathers the chunks of a small body into one ArrayBuffer of its own, at once. It is copied each time that it has to grow, so
 * what may have more than a few MB belongs into a BodyCollector. Nothing is allocated before the first byte.
 */

const START_BYTES = 64 * 1024;

export class ByteCollector {
  #bytes = new Uint8Array(0);
  #length = 0;

  /** Bytes gathered so far. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Removes and returns the bytes from `start` on. They are valid until the next push. */
  cut(start: number): Uint8Array {
    const rest = this.#bytes.subarray(start, this.#length);
    this.#length = start;
    return rest;
  }

  /** Exactly the bytes gathered: no slack, and no pool that other Buffers share. The collector must not be used again. */
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
