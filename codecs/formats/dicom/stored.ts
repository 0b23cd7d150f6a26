/** Extracts the stored values of a frame, the bits of each sample, from its bytes (DICOM PS3.5, section 8). */
import { viewOf } from '../../metadata/bytes.ts';
import type { DicomImage } from './image.ts';

export type StoredValues =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export interface StoredLayout extends Pick<DicomImage, 'bitsAllocated' | 'bitsStored' | 'shift' | 'signed' | 'floats'> {
  littleEndian: boolean;
  /** Bytes are stored in 16-bit words, which matters when those are big-endian. */
  words: boolean;
}

/**
 * Reads the stored values of a frame.
 * @param bit where the first sample starts: below 16, and above 0 only when a sample is smaller than 16 bits
 * @param count number of samples; those beyond the end of the bytes are 0
 */
export function readStored(bytes: Uint8Array, bit: number, count: number, layout: StoredLayout): StoredValues {
  const { bitsAllocated, floats, littleEndian, words } = layout;
  if (floats) return readFloats(bytes, count, layout);
  const swapped = !littleEndian && words && bitsAllocated <= 8 ? swapPairs(bytes) : bytes;
  if (bitsAllocated === 8) return narrow(readBytes(swapped.subarray(bit >> 3), count), layout);
  if (bitsAllocated === 16) return narrow(readWords(bytes, count, littleEndian), layout);
  if (bitsAllocated === 32) return narrow(readDoubleWords(bytes, count, littleEndian), layout);
  return narrow(readBits(swapped, bit, count, bitsAllocated), layout);
}

function readBytes(bytes: Uint8Array, count: number): Uint8Array {
  if (bytes.length >= count) return bytes.subarray(0, count);
  const padded = new Uint8Array(count);
  padded.set(bytes);
  return padded;
}

function readWords(bytes: Uint8Array, count: number, littleEndian: boolean): Uint16Array {
  const values = new Uint16Array(count);
  const there = Math.min(count, bytes.length >> 1);
  const [low, high] = littleEndian ? [0, 1] : [1, 0];
  for (let index = 0, at = 0; index < there; index++, at += 2)
    values[index] = bytes[at + low]! | (bytes[at + high]! << 8);
  return values;
}

function readDoubleWords(bytes: Uint8Array, count: number, littleEndian: boolean): Uint32Array {
  const values = new Uint32Array(count);
  const view = viewOf(bytes);
  const there = Math.min(count, bytes.length >> 2);
  for (let index = 0; index < there; index++) values[index] = view.getUint32(index * 4, littleEndian);
  return values;
}

function readFloats(bytes: Uint8Array, count: number, { bitsAllocated, littleEndian }: StoredLayout): StoredValues {
  const view = viewOf(bytes);
  const there = Math.min(count, Math.floor(bytes.length / (bitsAllocated / 8)));
  if (bitsAllocated === 64) {
    const values = new Float64Array(count);
    for (let index = 0; index < there; index++) values[index] = view.getFloat64(index * 8, littleEndian);
    return values;
  }
  const values = new Float32Array(count);
  for (let index = 0; index < there; index++) values[index] = view.getFloat32(index * 4, littleEndian);
  return values;
}

/** Reads samples of other sizes, which are packed bit by bit, the lowest first. */
function readBits(
  bytes: Uint8Array,
  firstBit: number,
  count: number,
  size: number,
): Uint8Array | Uint16Array | Uint32Array {
  const values = size < 8 ? new Uint8Array(count) : size < 16 ? new Uint16Array(count) : new Uint32Array(count);
  const there = Math.min(count, Math.floor((bytes.length * 8 - firstBit) / size));
  for (let index = 0, bit = firstBit; index < there; index++, bit += size) {
    let value = 0;
    // Up to five steps, each taking the sample's bits from one byte.
    for (let done = 0; done < size; ) {
      const within = (bit + done) & 7;
      const take = Math.min(8 - within, size - done);
      value |= ((bytes[(bit + done) >>> 3]! >> within) & ((1 << take) - 1)) << done;
      done += take;
    }
    values[index] = value >>> 0;
  }
  return values;
}

function swapPairs(bytes: Uint8Array): Uint8Array {
  const swapped = new Uint8Array((bytes.length + 1) & ~1);
  for (let at = 0; at < bytes.length; at++) swapped[at ^ 1] = bytes[at]!;
  return swapped;
}

/** Extracts the stored bits, dropping what older files keep above and below them, and extends the sign. */
export function narrow(
  values: Uint8Array | Uint16Array | Uint32Array,
  { bitsStored, shift, signed }: Pick<StoredLayout, 'bitsStored' | 'shift' | 'signed'>,
): StoredValues {
  const container = values.BYTES_PER_ELEMENT * 8;
  if (signed) {
    const signedValues =
      container === 8
        ? new Int8Array(values.buffer, values.byteOffset, values.length)
        : container === 16
          ? new Int16Array(values.buffer, values.byteOffset, values.length)
          : new Int32Array(values.buffer, values.byteOffset, values.length);
    if (bitsStored === container) return signedValues;
    const narrowed = container === 8 ? new Int8Array(values.length) : signedValues;
    const up = 32 - shift - bitsStored;
    const down = 32 - bitsStored;
    for (let index = 0; index < values.length; index++) narrowed[index] = (signedValues[index]! << up) >> down;
    return narrowed;
  }
  if (bitsStored === container) return values;
  // Bytes are a view of the file, which must not be modified.
  const narrowed = container === 8 ? new Uint8Array(values.length) : values;
  const up = 32 - shift - bitsStored;
  const down = 32 - bitsStored;
  for (let index = 0; index < values.length; index++) narrowed[index] = (values[index]! << up) >>> down;
  return narrowed;
}
