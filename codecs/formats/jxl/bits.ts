/** Bits of a JPEG XL header, from the lowest of each byte up (ISO/IEC 18181-1, annex B). */
import { corruptImage } from '../../errors.ts';

/** A number by its selector: an offset plus that many bits, or a constant. */
type Choice = readonly [offset: number, bits: number];
export type Choices = readonly [Choice, Choice, Choice, Choice];

export class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Position in bits. */
  get at(): number {
    return this.#at;
  }

  /** Reads at most 32 bits. @throws Failure `corrupt_image` at the end */
  read(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw corruptImage('jxl', 'the header ends early');
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** bit;
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  choose(choices: Choices): number {
    const [offset, bits] = choices[this.read(2) as 0 | 1 | 2 | 3];
    return offset + this.read(bits);
  }

  alignToByte(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
