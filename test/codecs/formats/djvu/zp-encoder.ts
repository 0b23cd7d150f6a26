/**
 * A Z'-encoder for tests. The decoder's register C is the distance of the code below the upper end of the interval. The
 * encoder therefore keeps that end as one big integer; the code is the value just below it.
 */
import { DELTA, LAMBDA, MU, THETA } from '../../../../codecs/formats/djvu/zp-tables.ts';

export class ZpEncoder {
  #interval = 0;
  #upper = 0x10000n;
  #bits = 16;

  encode(contexts: Uint8Array, at: number, bit: number): void {
    const state = contexts[at]!;
    const likely = state & 1;
    const unlimited = this.#interval + DELTA[state]!;
    const split = Math.min(unlimited, 0x6000 + ((unlimited + this.#interval) >> 2));
    if (bit !== likely) {
      contexts[at] = LAMBDA[state]!;
      this.#lower(split);
    } else if (unlimited < 0x8000) {
      this.#interval = unlimited;
    } else {
      if (this.#interval >= THETA[state]!) contexts[at] = MU[state]!;
      this.#interval = split;
    }
    this.#shift();
  }

  encodePlain(bit: number): void {
    this.#pass(0x8000 + (this.#interval >> 1), bit);
  }

  encodeWavelet(bit: number): void {
    this.#pass(0x8000 + ((3 * this.#interval) >> 3), bit);
  }

  encodeBits(contexts: Uint8Array, at: number, bits: number, value: number): void {
    let node = 1;
    for (let bit = bits - 1; bit >= 0; bit--) {
      const one = (value >> bit) & 1;
      this.encode(contexts, at + node - 1, one);
      node = (node << 1) | one;
    }
  }

  finish(): Uint8Array {
    const padding = (8 - (this.#bits % 8)) % 8;
    const ones = (1n << BigInt(padding)) - 1n;
    const code = ((this.#upper - 1n) << BigInt(padding)) | ones;
    return Uint8Array.from(Buffer.from(code.toString(16).padStart((this.#bits + padding) / 4, '0'), 'hex'));
  }

  #pass(split: number, bit: number): void {
    if (bit === 1) this.#lower(split);
    else this.#interval = split;
    this.#shift();
  }

  #lower(split: number): void {
    this.#interval += 0x10000 - split;
    this.#upper -= BigInt(0x10000 - split);
  }

  #shift(): void {
    while (this.#interval >= 0x8000) {
      this.#interval = 2 * this.#interval - 0x10000;
      this.#upper <<= 1n;
      this.#bits++;
    }
  }
}
