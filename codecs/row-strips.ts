/**
 * Copies the rows of an image into the memory of a codec, in strips of several rows, whatever the size of the incoming
 * parts.
 */
import type { Address } from './codec-module.ts';

export interface StripLayout {
  /** Bytes per row. */
  pitch: number;
  height: number;
  /** Rows per strip; the last strip may have fewer. */
  rows: number;
}

export class RowStrips {
  readonly #bytes: (at: Address, count: number) => Uint8Array;
  readonly #strip: Address;
  readonly #layout: StripLayout;
  #received = 0;

  /**
   * @param bytes returns a view of the codec's memory
   * @param strip address of a block that can hold all rows of a strip
   */
  constructor(bytes: (at: Address, count: number) => Uint8Array, strip: Address, layout: StripLayout) {
    this.#bytes = bytes;
    this.#strip = strip;
    this.#layout = layout;
  }

  /**
   * Adds bytes to the strip.
   * @param data any number of bytes, following the previous ones
   * @param take receives the number of rows in the strip, each time it is full and at the end of the image
   */
  push(data: Uint8Array, take: (rows: number) => void): void {
    const { pitch, height, rows } = this.#layout;
    const stripBytes = rows * pitch;
    for (let from = 0; from < data.length; ) {
      const filled = this.#received % stripBytes;
      const part = data.subarray(from, from + stripBytes - filled);
      this.#bytes(this.#strip + filled, part.length).set(part);
      this.#received += part.length;
      from += part.length;
      const inStrip = filled + part.length;
      if (inStrip === stripBytes || this.#received === height * pitch) take(inStrip / pitch);
    }
  }
}
