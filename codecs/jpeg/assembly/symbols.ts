/**
 * Collects the symbols of a scan and the bits between them. They are counted to make Huffman tables, and kept until
 * they are written.
 */

import { numberAt, setNumber } from '../../assembly/memory';
import { makeCodes } from './codes';
import { STANDARD_AC_CHROMA, STANDARD_AC_LUMA } from './tables';
import { putTokens } from './write-bits';

/** Tables of a scan: DC of the first component and of the others, then AC in the same order. */
const TABLES: i32 = 4;
/** The number for bits without a symbol, after those of all tables. Its code has no bits. */
const NO_SYMBOL: u32 = TABLES * 256;
const counts: usize = memory.data((TABLES * 256 + 1) * 4, 16);
const codes: usize = memory.data((TABLES * 256 + 1) * 4, 16);
/** The content of a DHT segment for each table. */
const segments: usize = memory.data(TABLES * 288, 16);
const segmentBytes: usize = memory.data(TABLES * 4, 4);
const SEGMENT_PITCH: usize = 288;

/**
 * Maximum number of tokens in the form of `putTokens`. Memory is touched only as far as a scan needs it. Larger scans
 * are passed a second time for writing.
 */
const MAX_TOKENS: usize = 1048576;
/**
 * Maximum number of tokens of a block, including pending ones from the blocks before it: 64 symbols, the end of a run
 * and its corrections.
 */
const MAX_BLOCK_TOKENS: usize = 256;
const tokens: usize = memory.data(MAX_TOKENS * 4, 16);
let nextToken: usize = 0;
const LAST_ROOM: usize = tokens + (MAX_TOKENS - MAX_BLOCK_TOKENS) * 4;

let isCounting: bool = true;
/** Whether all tokens since `startCounting` are kept. */
let isWhole: bool = true;
/** Bits that follow no symbol. */
let plainBits: u64 = 0;
/** Whether a coefficient was counted that no symbol can represent. */
let isTooLarge: bool = false;

/**
 * Adds a symbol and the bits after it.
 * @param length of these bits: always `bitsBehind(table, value)`, from which the size of a scan is computed
 */
export function symbol(table: i32, value: i32, bits: i32, length: i32): void {
  nextToken = symbolAt(nextToken, table, value, bits, length);
}

/**
 * Adds bits without a symbol.
 * @param length 1 to 16
 */
export function plain(bits: i32, length: i32): void {
  nextToken = tokenAt(nextToken, NO_SYMBOL, bits, length);
  plainBits += length;
}

// A loop over many symbols works on a copy of the address, which stays in a register.

export function nextTokenAt(): usize {
  return nextToken;
}

export function setNextToken(at: usize): void {
  nextToken = at;
}

/**
 * Like `symbol`, at a given address.
 * @returns the next address
 */
export function symbolAt(at: usize, table: i32, value: i32, bits: i32, length: i32): usize {
  return tokenAt(at, ((<u32>table) << 8) | <u32>value, bits, length);
}

function tokenAt(at: usize, number: u32, bits: i32, length: i32): usize {
  const counted = counts + ((<usize>number) << 2);
  store<u32>(counted, load<u32>(counted) + 1);
  store<u32>(at, (number << 21) | ((<u32>length) << 16) | <u32>bits);
  return at + 4;
}

/** Must be called for a coefficient of more than 15 bits: -32768, which occurs only in damaged files. */
export function refuseScan(): void {
  isTooLarge = true;
}

/**
 * Returns the number of bits that follow a symbol: those of a DC difference, of a coefficient, or of an end-of-band
 * run.
 */
function bitsBehind(table: i32, value: u32): u32 {
  if (table < 2) return value;
  if ((value & 15) !== 0) return value & 15;
  return value === 0xf0 ? 0 : value >> 4;
}

/** Must be called before each block. */
export function keepRoom(): void {
  if (nextToken < LAST_ROOM) return;
  if (isCounting) {
    isWhole = false;
    nextToken = tokens;
  } else putAll();
}

/** Writes the kept tokens. */
export function putAll(): void {
  putTokens(tokens, nextToken, codes);
  nextToken = tokens;
}

export function startCounting(): void {
  memory.fill(counts, 0, (TABLES * 256 + 1) * 4);
  plainBits = 0;
  isTooLarge = false;
  nextToken = tokens;
  isWhole = true;
  isCounting = true;
}

/**
 * Switches from counting to writing symbols.
 * @returns whether the counted symbols are kept, so that they need not be passed again
 */
export function stopCounting(): bool {
  isCounting = false;
  return isWhole;
}

export function forgetTokens(): void {
  nextToken = tokens;
}

/** The first DC bit length that no reader accepts. It occurs only in damaged files. */
const TOO_MANY_DC_BITS: usize = 16;

/**
 * Makes the Huffman tables.
 * @returns the size of the counted symbols in bits; infinite if they cannot be written
 */
export function makeTables(): f64 {
  if (isTooLarge) return Infinity;
  for (let table: usize = 0; table < 2; table++)
    if (load<u32>(counts + (table << 10) + (TOO_MANY_DC_BITS << 2)) !== 0) return Infinity;
  let bits = <f64>plainBits;
  for (let table = 0; table < TABLES; table++) {
    const own = (<usize>table) << 10;
    setNumber(segmentBytes, table, 0);
    if (!isCounted(table)) continue;
    const bytes = makeCodes(counts + own, segments + <usize>table * SEGMENT_PITCH, codes + own);
    setNumber(segmentBytes, table, bytes);
    // Each table has its own DHT segment.
    bits += <f64>((bytes + 5) * 8);
    for (let value: u32 = 0; value < 256; value++) {
      const at = own + ((<usize>value) << 2);
      const length = (load<u32>(codes + at) & 0xff) + bitsBehind(table, value);
      bits += <f64>load<u32>(counts + at) * <f64>length;
    }
  }
  return bits;
}

function isCounted(table: i32): bool {
  const own = counts + ((<usize>table) << 10);
  for (let at: usize = 0; at < 1024; at += 4) if (load<u32>(own + at) !== 0) return true;
  return false;
}

/** DC differences of 8-bit samples have up to 11 bits. */
const MAX_DC_BITS: i32 = 11;
/**
 * Shift for the weight of annex K's tables: the rest of the image is assumed to be like them for one part in 2^4, and
 * otherwise like the first rows.
 */
const SHARE_OF_STANDARD: u32 = 4;

/** Counts symbols that may still follow, so that they have codes. */
export function countOthers(): void {
  for (let table = 0; table < TABLES; table++) if (isCounted(table)) countOthersOf(table);
}

function countOthersOf(table: i32): void {
  const own = counts + ((<usize>table) << 10);
  if (table < 2) {
    for (let bits: usize = 0; bits <= <usize>MAX_DC_BITS; bits++)
      store<u32>(own + (bits << 2), load<u32>(own + (bits << 2)) + 1);
    return;
  }
  let total: u32 = 0;
  for (let at: usize = 0; at < 1024; at += 4) total += load<u32>(own + at);
  const standard = table === 2 ? STANDARD_AC_LUMA : STANDARD_AC_CHROMA;
  let symbol = standard + 16;
  for (let length: u32 = 1; length <= 16; length++)
    for (let left = load<u8>(standard + length - 1); left > 0; left--) {
      const at = own + ((<usize>load<u8>(symbol)) << 2);
      store<u32>(at, load<u32>(at) + (total >> (length + SHARE_OF_STANDARD)) + 1);
      symbol += 1;
    }
}

/** Returns the address of a table's DHT content, for the scan that was counted last. */
export function tableAt(table: i32): usize {
  return segments + <usize>table * SEGMENT_PITCH;
}
/** Returns its size in bytes; 0 if the table is not used. */
export function tableBytes(table: i32): i32 {
  return numberAt(segmentBytes, table);
}
