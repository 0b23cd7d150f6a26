/**
 * The coefficients of an image, as they are needed where they stand in several scans, or are to be written again: of all rows of MCUs,
 * or of a band of them.
 */

import { reserveZeros } from '../../assembly/memory';
import { component, continueAt, countOfComponents, END, mcusDown, OK, OUT_OF_MEMORY, SCAN } from './frame';
import { decodeScan, startDecoding } from './scan';
import { NATURAL_ORDER } from './tables';

/** Blocks of a component: more do not fit into the memory of a module. */
const MAX_BLOCKS: u64 = 0xf0000000 >> 7;

/** What was found behind the last scan. */
let status: i32 = OK;

/** Of a file whose scans are not read together. */
export function forgetStatus(): void {
  status = OK;
}

/** The first row of MCUs whose coefficients are held, and how many. */
let firstRow: i32 = 0;
let rowsHeld: i32 = 0;

export function firstRowHeld(): i32 {
  return firstRow;
}
/** Rows of MCUs whose coefficients are held; fewer than there is memory for only at the end of the image. */
export function countOfRowsHeld(): i32 {
  return min(rowsHeld, mcusDown() - firstRow);
}
/** @param rows of MCUs that are held at a time */
export function holdRows(rows: i32): void {
  firstRow = 0;
  rowsHeld = min(rows, mcusDown());
}
/** Gives up the rows that are held: the memory is for those behind them. */
export function holdNextRows(): void {
  firstRow += rowsHeld;
}

/** Blocks of a component that are held, down. */
export function blocksHeld(index: i32): i32 {
  const own = component(index);
  return min(countOfRowsHeld() * own.down, own.blocksDown - firstRow * own.down);
}

/** Takes memory for the coefficients of the frame, which are zero. @returns whether there is so much */
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
 * @param maxScans behind which data are left unread
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

/** `OK` where all scans were read; `SCAN` where there were too many; else what is wrong with the headers behind the last one. */
export function statusOfScans(): i32 {
  return status;
}
