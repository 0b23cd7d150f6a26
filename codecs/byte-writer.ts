/** Builds a file from parts whose sizes are not known in advance. Numbers are big-endian. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Appends the parts. Keeps references, not copies. */
  bytes(...parts: readonly Uint8Array[]): this {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
    return this;
  }

  text(text: string): this {
    return this.bytes(new TextEncoder().encode(text));
  }

  u8(...values: readonly number[]): this {
    return this.bytes(Uint8Array.from(values));
  }

  u16(...values: readonly number[]): this {
    return this.u8(...values.flatMap((value) => [value >>> 8, value]));
  }

  u32(...values: readonly number[]): this {
    return this.u16(...values.flatMap((value) => [value >>> 16, value]));
  }

  finish(): Uint8Array<ArrayBuffer> {
    const file = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      file.set(part, at);
      at += part.length;
    }
    return file;
  }
}
