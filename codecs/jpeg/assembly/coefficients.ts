/** All coefficients of a file, as they are needed where they stand in several scans, or are to be written again. */
import { component, continueAt, countOfComponents, END, mcusDown, OK, OUT_OF_MEMORY, SCAN } from './frame';
import { reserveZeros } from './memory';
import { decodeScan, startDecoding } from './scan';

/** Blocks of a component: more do not fit into the memory of a module. */
const MAX_BLOCKS: u64 = 0xf0000000 >> 7;

/** What was found behind the last scan. */
let status: i32 = OK;

/**
 * Decodes all scans.
 * @param maxScans behind which data are left unread
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function readCoefficients(maxScans: i32): i32 {
  startDecoding();
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    const blocks = <u64>own.pitchBlocks * <u64>(mcusDown() * own.down);
    if (blocks > MAX_BLOCKS) return OUT_OF_MEMORY;
    own.coefficients = reserveZeros((<usize>blocks) << 7);
    if (own.coefficients === 0) return OUT_OF_MEMORY;
  }
  let found = SCAN;
  for (let scan = 0; found === SCAN && scan < maxScans; scan++) found = continueAt(decodeScan());
  status = found === END ? OK : found;
  return OK;
}

/** `OK` where all scans were read; `SCAN` where there were too many; else what is wrong with the headers behind the last one. */
export function statusOfScans(): i32 {
  return status;
}
