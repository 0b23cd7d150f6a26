/**
 * Keeps the coefficients of an image, which is needed if they are spread over several scans or are written again: of
 * all rows of MCUs, or of a band of them.
 */

import { reserveZeros } from '../../assembly/memory';
import { component, continueAt, countOfComponents, END, mcusDown, OK, OUT_OF_MEMORY, SCAN } from './frame';
import { decodeScan, startDecoding } from './scan';
import { NATURAL_ORDER } from './tables';

/** Maximum number of blocks of a component; more do not fit in the memory of a module. */
const MAX_BLOCKS: u64 = 0xf0000000 >> 7;

/** What follows the last scan. */
let status: i32 = OK;

/** Resets the status, for a file whose scans are not all read in advance. */
export function forgetStatus(): void {
  status = OK;
}

/** The first row of MCUs whose coefficients are kept, and the number of rows. */
let firstRow: i32 = 0;
let rowsHeld: i32 = 0;

export function firstRowHeld(): i32 {
  return firstRow;
}
/**
 * Returns the number of rows of MCUs whose coefficients are kept. It is smaller than the reserved number only at the
 * end of the image.
 */
export function countOfRowsHeld(): i32 {
  return min(rowsHeld, mcusDown() - firstRow);
}
/** @param rows of MCUs that are kept at a time */
export function holdRows(rows: i32): void {
  firstRow = 0;
  rowsHeld = min(rows, mcusDown());
}
/** Discards the kept rows, so that their memory is used for the next rows. */
export function holdNextRows(): void {
  firstRow += rowsHeld;
}

/** Returns the number of kept block rows of a component. */
export function blocksHeld(index: i32): i32 {
  const own = component(index);
  return min(countOfRowsHeld() * own.down, own.blocksDown - firstRow * own.down);
}

/**
 * Reserves zeroed memory for the coefficients of the frame.
 * @returns false if there is not enough memory
 */
export function reserveCoefficients(): bool {
  holdRows(mcusDown());
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    const blocks = <u64>own.pitchBlocks * <u64>(rowsHeld * own.down);
    if (blocks > MAX_BLOCKS) return false;
    own.coefficients = reserveZeros((<usize>blocks) << 7);
    if (own.coefficients === 0) return false;
  }
  return true;
}

/** @param place in zigzag order */
export function coefficientAt(block: usize, place: i32): i32 {
  return <i32>load<i16>(block + ((<usize>load<u8>(NATURAL_ORDER + place)) << 1));
}
export function setCoefficientAt(block: usize, place: i32, value: i32): void {
  store<i16>(block + ((<usize>load<u8>(NATURAL_ORDER + place)) << 1), <i16>value);
}

/**
 * Decodes all scans.
 * @param maxScans data after this many scans is not read
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function readCoefficients(maxScans: i32): i32 {
  startDecoding();
  if (!reserveCoefficients()) return OUT_OF_MEMORY;
  let found = SCAN;
  for (let scan = 0; found === SCAN && scan < maxScans; scan++) found = continueAt(decodeScan());
  status = found === END ? OK : found;
  return OK;
}

/**
 * Returns `OK` if all scans were read, `SCAN` if there were too many, otherwise the error in the headers after the last
 * scan.
 */
export function statusOfScans(): i32 {
  return status;
}
