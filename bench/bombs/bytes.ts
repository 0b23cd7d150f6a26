/** Building blocks for the bomb generators. */
import { constants, deflateRawSync } from 'node:zlib';

export const text = (value: string): Buffer => Buffer.from(value, 'latin1');
export const u8 = (...values: readonly number[]): Buffer => Buffer.from(values);
export const be16 = (...values: readonly number[]): Buffer => numbers(values, 2, 'writeUIntBE');
export const be32 = (...values: readonly number[]): Buffer => numbers(values, 4, 'writeUIntBE');
export const le16 = (...values: readonly number[]): Buffer => numbers(values, 2, 'writeUIntLE');
export const le32 = (...values: readonly number[]): Buffer => numbers(values, 4, 'writeUIntLE');

function numbers(values: readonly number[], bytes: number, write: 'writeUIntBE' | 'writeUIntLE'): Buffer {
  const buffer = Buffer.alloc(values.length * bytes);
  for (const [index, value] of values.entries()) buffer[write](value, index * bytes, bytes);
  return buffer;
}

/** Repeats the same bytes. */
export function repeat(part: Uint8Array, times: number): Buffer {
  return Buffer.alloc(part.length * times, part);
}

/** Pads with zeros to a length. */
export function padded(bytes: Uint8Array, length: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(length)], length);
}

/** Returns a zeroed buffer with some bytes set, for headers whose fields have fixed offsets. */
export function fields(length: number, ...parts: readonly (readonly [at: number, bytes: Uint8Array])[]): Buffer {
  const buffer = Buffer.alloc(length);
  for (const [at, bytes] of parts) buffer.set(bytes, at);
  return buffer;
}

const DEFLATE_PIECE_BYTES = 16 * 2 ** 20;
const ADLER_BASE = 65_521;
let deflatedPiece: Buffer | undefined;

/** Returns zeros as raw deflate, a thousandth of their length, without holding the zeros in memory. */
export function deflatedZeros(bytes: number): Buffer {
  const pieces = Math.floor(bytes / DEFLATE_PIECE_BYTES);
  deflatedPiece ??= deflateRawSync(Buffer.alloc(DEFLATE_PIECE_BYTES), {
    level: 9,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const last = deflateRawSync(Buffer.alloc(bytes % DEFLATE_PIECE_BYTES), { level: 9 });
  return Buffer.concat([repeat(deflatedPiece, pieces), last]);
}

/** Returns zeros in zlib format (RFC 1950). */
export function zlibZeros(bytes: number): Buffer {
  return Buffer.concat([u8(0x78, 0xda), deflatedZeros(bytes), be16(bytes % ADLER_BASE, 1)]);
}

/** CRC-32 of `count` zeros, computed as a power of the matrix of one zero byte. */
function crcOfZeros(bytes: number): number {
  let row = Array.from({ length: 32 }, (_, bit) => step(1 << bit));
  let state = 0xffffffff | 0;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) state = apply(row, state);
    row = row.map((value) => apply(row, value));
  }
  return ~state >>> 0;
}

function step(state: number): number {
  let value = state;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value | 0;
}

function apply(matrix: readonly number[], state: number): number {
  let value = 0;
  for (let bit = 0; bit < 32; bit++) if ((state >>> bit) & 1) value ^= matrix[bit]!;
  return value | 0;
}

/** Returns zeros as gzip (RFC 1952), or a text followed by this many zeros in a second member. */
export function gzipZeros(bytes: number): Buffer {
  const header = u8(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
  return Buffer.concat([header, deflatedZeros(bytes), le32(crcOfZeros(bytes), bytes % 2 ** 32)]);
}

/** Writes bits into bytes, from the highest bit down or from the lowest up. */
export class BitWriter {
  readonly #bytes: number[] = [];
  readonly #lowFirst: boolean;
  #bits = 0;

  constructor(order: 'high first' | 'low first') {
    this.#lowFirst = order === 'low first';
  }

  /** @param count 1 to 32 */
  write(value: number, count: number): this {
    for (let index = 0; index < count; index++) {
      const bit = (value >>> (this.#lowFirst ? index : count - 1 - index)) & 1;
      const at = this.#bits >> 3;
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (bit << (this.#lowFirst ? this.#bits & 7 : 7 - (this.#bits & 7)));
      this.#bits++;
    }
    return this;
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

/** Returns pseudo-random bytes, the same at every run, that no format can decode (Numerical Recipes, "ranqd1"). */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}
