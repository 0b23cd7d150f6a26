/**
 * Stores the blocks to be written in less memory than all of their coefficients take, and in writing order. Each block
 * has a record with DC and masks of the AC coefficients by size, and the values of the non-zero AC coefficients, one
 * after the other in zigzag order.
 */

import { MAX_GAP, numberAt, reserve, setNumber } from '../../assembly/memory';
import { blocksHeld, countOfRowsHeld } from './coefficients';
import { component, countOfComponents, MAX_COMPONENTS, OK, OUT_OF_MEMORY } from './frame';
import { acMask, naturalMask, prepareMasks } from './masks';
import { NATURAL_ORDER } from './tables';

/** Masks of the coefficients of at least 1, 2, 4 and 8, 64 bits each, in zigzag order and without DC. */
const MASKS: usize = 0;
/** The address of the values. */
const VALUES: usize = 32;
const DC: usize = 36;
const RECORD_BYTES: usize = 40;
/** Largest size of the values of one block. */
const MAX_VALUES_BYTES: usize = 63 * 2;
/** Memory for values is reserved in pieces of at least this size. */
const MIN_RESERVED_BYTES: usize = 65536;

/** The addresses of the records of each component's blocks. */
const records: usize = memory.data(MAX_COMPONENTS * 4, 4);

/** The coefficients of the current block. */
const copied: usize = memory.data(128, 16);

/** The start of the last memory block for values, the address of the next value, and the end. */
let firstValue: usize = 0;
let nextValue: usize = 0;
let endOfValues: usize = 0;

/**
 * Reserves memory for the records of the kept rows.
 * @returns false if there is not enough memory
 */
export function reserveRecords(): bool {
  prepareMasks();
  firstValue = 0;
  nextValue = 0;
  endOfValues = 0;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    const at = reserve(<usize>own.pitchBlocks * <usize>(countOfRowsHeld() * own.down) * RECORD_BYTES);
    if (at === 0) return false;
    setNumber(records, index, <i32>at);
  }
  return true;
}

/** Discards the kept values, so that their memory is used for the next rows. */
export function forgetValues(): void {
  nextValue = firstValue;
}

/**
 * Reserves memory for values.
 * @param blocks that are appended before the next call
 * @returns false if there is not enough memory
 */
export function reserveValues(blocks: i32): bool {
  const bytes = <usize>blocks * MAX_VALUES_BYTES;
  if (endOfValues - nextValue >= bytes) return true;
  const size = max(bytes, MIN_RESERVED_BYTES);
  const at = reserve(size);
  if (at === 0) return false;
  // Usually it directly follows the existing memory.
  if (at - endOfValues > MAX_GAP) {
    firstValue = at;
    nextValue = at;
  }
  endOfValues = at + size;
  return true;
}

/**
 * Stores all kept coefficients. The values of each block overwrite its coefficients.
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function storeCoefficients(): i32 {
  if (!reserveRecords()) return OUT_OF_MEMORY;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    for (let line = 0; line < blocksHeld(index); line++) {
      const first = <usize>line * own.pitchBlocks;
      for (let block = first; block < first + own.blocksAcross; block++) {
        const at = own.coefficients + (block << 7);
        memory.copy(copied, at, 128);
        storeBlock(recordOf(index, block), copied, acMask(naturalMask(copied)), at);
      }
    }
  }
  return OK;
}

export function recordOf(index: i32, block: usize): usize {
  return <usize>numberAt(records, index) + block * RECORD_BYTES;
}

/** Stores a block with `storeBlock`, its values after those of the previous block. */
export function appendBlock(record: usize, block: usize, mask: u64): void {
  nextValue = storeBlock(record, block, mask, nextValue);
}

/**
 * Stores a block.
 * @param block 64 coefficients of 16 bits, in natural order
 * @param mask of its non-zero AC coefficients, in zigzag order
 * @param values receives the values of those; must not overlap the block
 * @returns the end of the values
 */
export function storeBlock(record: usize, block: usize, mask: u64, values: usize): usize {
  let twos: u64 = 0;
  let fours: u64 = 0;
  let eights: u64 = 0;
  let at = values;
  store<u64>(record, mask, MASKS);
  store<u32>(record, <u32>at, VALUES);
  store<i16>(record, load<i16>(block), DC);
  for (let left = mask; left !== 0; ) {
    const rest = left & (left - 1);
    const bit = left ^ rest;
    const value = load<i16>(block + ((<usize>load<u8>(NATURAL_ORDER + <usize>ctz<u64>(left))) << 1));
    const size = abs(<i32>value);
    left = rest;
    store<i16>(at, value);
    at += 2;
    twos |= select<u64>(bit, 0, size > 1);
    fours |= select<u64>(bit, 0, size > 3);
    eights |= select<u64>(bit, 0, size > 7);
  }
  store<u64>(record, twos, MASKS + 8);
  store<u64>(record, fours, MASKS + 16);
  store<u64>(record, eights, MASKS + 24);
  return at;
}

export function dcOf(record: usize): i32 {
  return <i32>load<i16>(record, DC);
}

/**
 * Returns the mask of AC coefficients that are not zero without their lowest bits.
 * @param low number of those bits, 0 to 3
 */
export function acOf(record: usize, low: i32): u64 {
  return load<u64>(record + ((<usize>low) << 3), MASKS);
}

/** Returns the address of the values of all non-zero AC coefficients, 16 bits each. */
export function valuesOf(record: usize): usize {
  return <usize>load<u32>(record, VALUES);
}

/** @param place in zigzag order, of a coefficient that is not zero */
export function valueAt(record: usize, place: i32): i32 {
  const before = load<u64>(record, MASKS) & (((<u64>1) << (<u64>place)) - 1);
  return <i32>load<i16>(valuesOf(record) + ((<usize>popcnt<u64>(before)) << 1));
}
