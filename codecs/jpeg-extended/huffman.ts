/** Huffman coding of JPEG (ITU-T T.81, annexes C and F.2.2). */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';

const MAX_CODE_BITS = 16;
/** Codes up to this length are decoded with one table lookup. */
const FAST_BITS = 9;

export interface HuffmanTable {
  /** Indexed by the next {@link FAST_BITS} bits: code length times 256 plus value; 0 where the code is longer. */
  fast: Uint16Array;
  /**
   * Indexed by length: the first code too large for it, aligned to 16 bits, and the difference from a code to its
   * index.
   */
  limits: Int32Array;
  offsets: Int32Array;
  values: Uint8Array;
}

/** Builds a table from a DHT segment. @param at offset of the sixteen code counts @throws Failure `corrupt_image` */
export function readHuffmanTable(segment: Uint8Array, at: number): { table: HuffmanTable; end: number } {
  const counts = segment.subarray(at, at + MAX_CODE_BITS);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const end = at + MAX_CODE_BITS + total;
  if (total > 256 || end > segment.length) throw corruptImage(FORMATS.dicom.name, 'a Huffman table that ends early');
  const values = segment.subarray(at + MAX_CODE_BITS, end);

  const fast = new Uint16Array(1 << FAST_BITS);
  const limits = new Int32Array(MAX_CODE_BITS + 2);
  const offsets = new Int32Array(MAX_CODE_BITS + 1);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    const count = counts[length - 1]!;
    if (code + count > 1 << length) throw corruptImage(FORMATS.dicom.name, 'a Huffman table with too many codes');
    offsets[length] = index - code;
    if (length <= FAST_BITS) {
      const spread = 1 << (FAST_BITS - length);
      for (let own = 0; own < count; own++) {
        fast.fill((length << 8) | values[index + own]!, (code + own) * spread, (code + own + 1) * spread);
      }
    }
    code += count;
    index += count;
    limits[length] = code << (MAX_CODE_BITS - length);
    code <<= 1;
  }
  return { table: { fast, limits, offsets, values }, end };
}

/** Reads the entropy-coded data between two markers. Behind their end it returns zeros and sets `overrun`. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #bits = 0;
  #count = 0;
  /** Number of zero bits added behind the end. */
  #padded = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether more bits were read than present. */
  get overrun(): boolean {
    return this.#padded > this.#count;
  }

  /** Offset of the next marker, or the end of the bytes. */
  get at(): number {
    return this.#at;
  }

  /** Skips the restart marker that ends an interval. Returns whether there is one. */
  restart(): boolean {
    const bytes = this.#bytes;
    // Filling stops at a marker; bytes in front of it were left over.
    while (this.#at + 1 < bytes.length && !(bytes[this.#at] === 0xff && bytes[this.#at + 1] !== 0)) this.#at++;
    while (bytes[this.#at] === 0xff && bytes[this.#at + 1] === 0xff) this.#at++;
    const marker = bytes[this.#at + 1];
    if (marker === undefined || marker < 0xd0 || marker > 0xd7) return false;
    this.#at += 2;
    this.#bits = 0;
    this.#count = 0;
    this.#padded = 0;
    return true;
  }

  /** @throws Failure `corrupt_image` for a code that the table does not have */
  decode({ fast, limits, offsets, values }: HuffmanTable): number {
    if (this.#count < MAX_CODE_BITS) this.#fill();
    const next = (this.#bits >>> (this.#count - MAX_CODE_BITS)) & 0xffff;
    const found = fast[next >>> (MAX_CODE_BITS - FAST_BITS)]!;
    if (found !== 0) {
      this.#count -= found >> 8;
      return found & 0xff;
    }
    for (let length = FAST_BITS + 1; length <= MAX_CODE_BITS; length++) {
      if (next < limits[length]!) {
        this.#count -= length;
        return values[(next >>> (MAX_CODE_BITS - length)) + offsets[length]!] ?? 0;
      }
    }
    // Behind the end there are only zeros, so an unknown code is no further damage.
    if (this.#padded > 0) {
      this.#count = 0;
      return 0;
    }
    throw corruptImage(FORMATS.dicom.name, 'an unknown Huffman code');
  }

  /** Reads a difference of `size` bits, at most 16: RECEIVE and EXTEND of F.2.2.1. */
  difference(size: number): number {
    if (size === 0) return 0;
    if (this.#count < size) this.#fill();
    this.#count -= size;
    const bits = (this.#bits >>> this.#count) & ((1 << size) - 1);
    return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
  }

  /** Fills up to at least 24 bits. The lowest `#count` bits of `#bits` are unread. */
  #fill(): void {
    const bytes = this.#bytes;
    while (this.#count <= 24) {
      let byte = 0;
      if (this.#at < bytes.length) byte = bytes[this.#at]!;
      if (this.#at >= bytes.length || (byte === 0xff && bytes[this.#at + 1] !== 0)) {
        byte = 0;
        this.#padded += 8;
      } else {
        this.#at += byte === 0xff ? 2 : 1;
      }
      this.#bits = (this.#bits << 8) | byte;
      this.#count += 8;
    }
  }
}
