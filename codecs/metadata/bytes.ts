/** Safe byte access for untrusted files: every read is checked against the end of the data. */
import { corruptImage } from '../errors.ts';

/** A range of bytes: from `start` up to but not including `end`. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Reads integers and slices. Offsets count from the start of `bytes`; reads outside of it fail with `corrupt_image`.
 */
export class Reader {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly format: string;
  readonly littleEndian: boolean;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, format: string, littleEndian = false) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.format = format;
    this.littleEndian = littleEndian;
    this.#view = viewOf(bytes);
  }

  u8(at: number): number {
    return this.#view.getUint8(this.#checked(at, 1));
  }

  u16(at: number): number {
    return this.#view.getUint16(this.#checked(at, 2), this.littleEndian);
  }

  u24(at: number): number {
    return this.littleEndian ? this.u16(at) + this.u8(at + 2) * 0x10000 : this.u8(at) * 0x10000 + this.u16(at + 1);
  }

  u32(at: number): number {
    return this.#view.getUint32(this.#checked(at, 4), this.littleEndian);
  }

  /** Returns a double: exact up to 2^53, far beyond any offset that can exist. */
  u64(at: number): number {
    return Number(this.#view.getBigUint64(this.#checked(at, 8), this.littleEndian));
  }

  /** Returns a view, not a copy. */
  slice(at: number, length: number): Uint8Array {
    this.#checked(at, length);
    return this.bytes.subarray(at, at + length);
  }

  /** Decodes one character per byte. */
  text(at: number, length: number): string {
    return latin1(this.slice(at, length));
  }

  #checked(at: number, length: number): number {
    if (!(at >= 0 && length >= 0 && at + length <= this.length)) {
      throw corruptImage(this.format, `${length} bytes at ${at} of ${this.length}`);
    }
    return at;
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns the same memory as a Buffer, for its fast searches and encodings. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Decodes text of one byte per character. */
export const latin1 = (bytes: Uint8Array): string => bufferOf(bytes).toString('latin1');

/** Encodes text whose characters are below 256. */
export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

export const startsWith = (bytes: Uint8Array, prefix: string): boolean =>
  bytes.length >= prefix.length && latin1(bytes.subarray(0, prefix.length)) === prefix;

/** Ranges of a file, one after the other. */
export interface Excerpt {
  bytes: Uint8Array;
  ranges: readonly Range[];
}

export function concat(parts: readonly (Uint8Array | Excerpt)[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + lengthOf(part), 0));
  let at = 0;
  const append = (bytes: Uint8Array) => {
    whole.set(bytes, at);
    at += bytes.length;
  };
  for (const part of parts) {
    if (part instanceof Uint8Array) append(part);
    // One by one: creating millions of views at once would cost more than their bytes.
    else for (const { start, end } of part.ranges) append(part.bytes.subarray(start, end));
  }
  return whole;
}

/** Bytes of a part. */
export const lengthOf = (part: Uint8Array | Excerpt): number =>
  part instanceof Uint8Array ? part.length : part.ranges.reduce((sum, { start, end }) => sum + end - start, 0);

export function uint16(value: number, littleEndian = false): Uint8Array {
  const bytes = new Uint8Array(2);
  viewOf(bytes).setUint16(0, value, littleEndian);
  return bytes;
}

export function uint32(value: number, littleEndian = false): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, littleEndian);
  return bytes;
}

export function uint64(value: number, littleEndian = false): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, BigInt(value), littleEndian);
  return bytes;
}

/** Adds a range that does not start before the last one. Ranges that touch are merged. */
export function appendRange(ranges: Range[], { start, end }: Range): void {
  const last = ranges.at(-1);
  if (last && start <= last.end) last.end = Math.max(last.end, end);
  else ranges.push({ start, end });
}

/** Returns the ranges sorted and without overlaps. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) appendRange(merged, range);
  return merged;
}
