/** The Z'-coder, the adaptive binary arithmetic coder of all DjVu codings (DjVu 3 Specification, 2005, appendix 3). */
import { DELTA, LAMBDA, MU, THETA } from './zp-tables.ts';

/** An encoder may omit trailing bytes that are ones. Up to this many are added before a stream counts as truncated. */
const MAX_OMITTED_BYTES = 32;

/**
 * Decodes one stream. A context is one byte, the number of its probability state; all start at 0 and belong to the
 * caller. Behind the data the stream continues with ones, as specified, so no call fails: check {@link starved}.
 */
export class ZpDecoder {
  readonly #bytes: Uint8Array;
  #at = 0;
  #missing = 0;
  /** The fetched bits; the lowest `#available` of them are unused. */
  #fetched = 0;
  #available = 0;
  /** The registers A and C of the specification, 16 bits each. */
  #interval = 0;
  #code = 0;
  /** Up to this value the more probable decision neither shifts the registers nor changes the state. */
  #fence = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#shift(16);
  }

  /** Whether far more was decoded than the data can contain: they are truncated or invalid. */
  get starved(): boolean {
    return this.#missing > MAX_OMITTED_BYTES;
  }

  /** Decodes one decision in the context `contexts[at]`: 0 or 1. */
  decode(contexts: Uint8Array, at: number): number {
    const state = contexts[at]!;
    const split = this.#interval + DELTA[state]!;
    if (split <= this.#fence) {
      this.#interval = split;
      return state & 1;
    }
    return this.#adapt(contexts, at, state, split);
  }

  /** Decodes one decision without a context, in which 0 and 1 are equally likely. */
  decodePlain(): number {
    return this.#pass(0x8000 + (this.#interval >> 1));
  }

  /** Decodes the same as IW44 codes it, with a slightly different split of the interval. */
  decodeWavelet(): number {
    return this.#pass(0x8000 + ((3 * this.#interval) >> 3));
  }

  /**
   * Decodes a number of `bits` bits whose contexts form a binary tree. The node after the prefix `1xyz` is `contexts[at
   * + 1xyz - 1]`.
   */
  decodeBits(contexts: Uint8Array, at: number, bits: number): number {
    const end = 1 << bits;
    let node = 1;
    while (node < end) node = (node << 1) | this.decode(contexts, at + node - 1);
    return node - end;
  }

  #adapt(contexts: Uint8Array, at: number, state: number, unlimited: number): number {
    const split = Math.min(unlimited, 0x6000 + ((unlimited + this.#interval) >> 2));
    if (split > this.#code) {
      contexts[at] = LAMBDA[state]!;
      this.#takeUpper(split);
      return (state & 1) ^ 1;
    }
    if (this.#interval >= THETA[state]!) contexts[at] = MU[state]!;
    this.#interval = split;
    this.#shift(1);
    return state & 1;
  }

  #pass(split: number): number {
    if (split > this.#code) {
      this.#takeUpper(split);
      return 1;
    }
    this.#interval = split;
    this.#shift(1);
    return 0;
  }

  #takeUpper(split: number): void {
    this.#interval += 0x10000 - split;
    this.#code += 0x10000 - split;
    // Both registers are shifted by the number of leading ones of the interval.
    this.#shift(Math.clz32(~(this.#interval << 16)));
  }

  #shift(bits: number): void {
    if (this.#available < bits) this.#fetch();
    this.#available -= bits;
    const next = (this.#fetched >>> this.#available) & ((1 << bits) - 1);
    this.#interval = (this.#interval << bits) & 0xffff;
    this.#code = ((this.#code << bits) & 0xffff) | next;
    this.#fence = this.#code < 0x8000 ? this.#code : 0x7fff;
  }

  #fetch(): void {
    while (this.#available <= 16) {
      let byte = 0xff;
      if (this.#at < this.#bytes.length) byte = this.#bytes[this.#at++]!;
      else this.#missing++;
      this.#fetched = (this.#fetched << 8) | byte;
      this.#available += 8;
    }
  }
}
