/**
 * Gathers the chunks of a body into one ArrayBuffer of its own, which can be transferred to a worker. Nothing is allocated
 * before the first byte.
 */

const START_BYTES = 64 * 1024;

export class ByteCollector {
  readonly #expectedBytes: number;
  #bytes = new Uint8Array(0);
  #length = 0;

  /** @param expectedBytes size of the whole, where it is known: then nothing is ever moved */
  constructor(expectedBytes = START_BYTES) {
    this.#expectedBytes = expectedBytes;
  }

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
    const larger = new Uint8Array(Math.max(needed, this.#length === 0 ? this.#expectedBytes : this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
