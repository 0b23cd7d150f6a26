/** The quantization and Huffman tables that the headers of a file define (ITU-T T.81, B.2.4). */

import { reserve } from '../../assembly/memory';
import { buildTable, TABLE_BYTES } from './huffman';
import { NATURAL_ORDER, STANDARD_BYTES, STANDARD_TABLES } from './tables';

/** Number of tables of each kind. */
const TABLES: i32 = 4;
/** Coefficients per block. */
export const BLOCK: i32 = 64;

const quantizationTables: usize = memory.data(TABLES * BLOCK * 2, 16);
/** One bit per table that has been read. */
let quantizationsSeen: i32 = 0;
const dcTables: usize = memory.data(TABLES * 14848, 16);
const acTables: usize = memory.data(TABLES * 14848, 16);
let dcSeen: i32 = 0;
let acSeen: i32 = 0;

/** Forgets the tables of the last file. Motion JPEG omits the standard Huffman tables, so they are defined. */
export function resetTables(): void {
  quantizationsSeen = 0;
  dcSeen = 0;
  acSeen = 0;
  readHuffmanTables(STANDARD_TABLES, STANDARD_TABLES + STANDARD_BYTES);
}

/** Reads a big-endian number. */
export function u16At(address: usize): i32 {
  return <i32>bswap<u16>(load<u16>(address));
}

/** @returns false if the segment is corrupt */
export function readQuantizationTables(from: usize, stop: usize): bool {
  let place = from;
  while (place < stop) {
    const header = <i32>load<u8>(place);
    const number = header & 15;
    const isLong = header >> 4 !== 0;
    place += 1;
    if (number >= TABLES || place + <usize>(isLong ? BLOCK * 2 : BLOCK) > stop) return false;
    const table = quantizationTables + <usize>(number * BLOCK * 2);
    for (let index: usize = 0; index < <usize>BLOCK; index++) {
      const value = isLong ? u16At(place + index * 2) : <i32>load<u8>(place + index);
      store<u16>(table + ((<usize>load<u8>(NATURAL_ORDER + index)) << 1), <u16>value);
    }
    place += isLong ? BLOCK * 2 : BLOCK;
    quantizationsSeen |= 1 << number;
  }
  return true;
}

/** @returns false if the segment is corrupt */
export function readHuffmanTables(from: usize, stop: usize): bool {
  let place = from;
  while (place < stop) {
    if (place + 17 > stop) return false;
    const header = <i32>load<u8>(place);
    const number = header & 15;
    const isAc = header >> 4 === 1;
    if (number >= TABLES || header >> 4 > 1) return false;
    let values: usize = 0;
    for (let length: usize = 1; length <= 16; length++) values += load<u8>(place + length);
    if (values > 256 || place + 17 + values > stop) return false;
    // Symbols of DC tables are bit lengths, at most 15.
    if (!isAc) for (let index: usize = 0; index < values; index++) if (load<u8>(place + 17 + index) > 15) return false;
    const table = (isAc ? acTables : dcTables) + <usize>number * TABLE_BYTES;
    if (!buildTable(table, place + 1, place + 17)) return false;
    if (isAc) acSeen |= 1 << number;
    else dcSeen |= 1 << number;
    place += 17 + values;
  }
  return true;
}

/** Returns a copy of a quantization table, because it may be redefined before it is used; 0 if that is impossible. */
export function copyQuantization(number: i32): usize {
  if (number >= TABLES || (quantizationsSeen & (1 << number)) === 0) return 0;
  const copy = reserve(BLOCK * 2);
  if (copy !== 0) memory.copy(copy, quantizationTables + <usize>(number * BLOCK * 2), BLOCK * 2);
  return copy;
}

/** Returns the address of a Huffman table for DC coefficients; 0 if it is not defined. */
export function dcTable(number: i32): usize {
  return number >= TABLES || (dcSeen & (1 << number)) === 0 ? 0 : dcTables + <usize>number * TABLE_BYTES;
}

/** The same for AC coefficients. */
export function acTable(number: i32): usize {
  return number >= TABLES || (acSeen & (1 << number)) === 0 ? 0 : acTables + <usize>number * TABLE_BYTES;
}
