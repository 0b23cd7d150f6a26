/** The rows of an image on their way into the memory of a codec: strips of several rows, however their bytes come. */
import type { Address } from './codec-module.ts';

export interface StripLayout {
  /** Of a row, in bytes. */
  pitch: number;
  height: number;
  /** Rows of a strip; the last one may have fewer. */
  rows: number;
}

export class RowStrips {
  readonly #bytes: (at: Address, count: number) => Uint8Array;
  readonly #strip: Address;
  readonly #layout: StripLayout;
  #received = 0;

  /**
   * @param bytes a view of the memory of the codec
   * @param strip in it, with room for all its rows
   */
  constructor(bytes: (at: Address, count: number) => Uint8Array, strip: Address, layout: StripLayout) {
    this.#bytes = bytes;
    this.#strip = strip;
    this.#layout = layout;
  }

  /**
   * @param data any number of bytes that follow those before
   * @param take gets how many rows lie in the strip, each time that it is full and at the end of the image
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
