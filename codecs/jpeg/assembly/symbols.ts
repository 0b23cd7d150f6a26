/** Symbols of a scan and the bits between them: they are counted, which makes their Huffman tables, and kept until they are put. */

import { numberAt, setNumber } from '../../assembly/memory';
import { makeCodes } from './codes';
import { STANDARD_AC_CHROMA, STANDARD_AC_LUMA } from './tables';
import { putTokens } from './write-bits';

/** Tables of a scan: DC of the first component and of the others, AC in the same order. */
const TABLES: i32 = 4;
/** The number of no symbol, for bits alone: behind those of all tables. Its code has no bits. */
const NO_SYMBOL: u32 = TABLES * 256;
const counts: usize = memory.data((TABLES * 256 + 1) * 4, 16);
const codes: usize = memory.data((TABLES * 256 + 1) * 4, 16);
/** What a DHT segment holds of each table. */
const segments: usize = memory.data(TABLES * 288, 16);
const segmentBytes: usize = memory.data(TABLES * 4, 4);
const SEGMENT_PITCH: usize = 288;

/** As `putTokens` takes them: memory that is touched only as far as a scan needs it. Those of larger scans come once more to be put. */
const MAX_TOKENS: usize = 1048576;
/** Of a block, with what it makes known of those before it: 64 symbols, the end of a run and its corrections. */
const MAX_BLOCK_TOKENS: usize = 256;
const tokens: usize = memory.data(MAX_TOKENS * 4, 16);
let nextToken: usize = 0;
const LAST_ROOM: usize = tokens + (MAX_TOKENS - MAX_BLOCK_TOKENS) * 4;

let isCounting: bool = true;
/** Whether all tokens since `startCounting` are there. */
let isWhole: bool = true;
/** Bits that follow no symbol. */
let plainBits: u64 = 0;
/** A coefficient that no symbol stands for was counted. */
let isTooLarge: bool = false;

/** @param length of the bits that follow: always `bitsBehind(table, value)`, of which the size of a scan is made */
export function symbol(table: i32, value: i32, bits: i32, length: i32): void {
  nextToken = symbolAt(nextToken, table, value, bits, length);
}

/** @param length 1 to 16 */
export function plain(bits: i32, length: i32): void {
  nextToken = tokenAt(nextToken, NO_SYMBOL, bits, length);
  plainBits += length;
}

// A loop over many symbols works on a copy of the place, which stays in a register.

export function nextTokenAt(): usize {
  return nextToken;
}

export function setNextToken(at: usize): void {
  nextToken = at;
}

/** The same as `symbol`, at a place. @returns the next one */
export function symbolAt(at: usize, table: i32, value: i32, bits: i32, length: i32): usize {
  return tokenAt(at, ((<u32>table) << 8) | <u32>value, bits, length);
}

function tokenAt(at: usize, number: u32, bits: i32, length: i32): usize {
  const counted = counts + ((<usize>number) << 2);
  store<u32>(counted, load<u32>(counted) + 1);
  store<u32>(at, (number << 21) | ((<u32>length) << 16) | <u32>bits);
  return at + 4;
}

/** To be said of a coefficient of more than 15 bits: -32768, which only damaged files have. */
export function refuseScan(): void {
  isTooLarge = true;
}

/** How many bits follow a symbol: those of a difference of DC, those of a coefficient, or those of a run of blocks that end. */
function bitsBehind(table: i32, value: u32): u32 {
  if (table < 2) return value;
  if ((value & 15) !== 0) return value & 15;
  return value === 0xf0 ? 0 : value >> 4;
}

/** To be called before each block. */
export function keepRoom(): void {
  if (nextToken < LAST_ROOM) return;
  if (isCounting) {
    isWhole = false;
    nextToken = tokens;
  } else putAll();
}

/** Puts what was kept. */
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

/** From here on symbols are put. @returns whether those that were counted are kept, so that they need not come again */
export function stopCounting(): bool {
  isCounting = false;
  return isWhole;
}

export function forgetTokens(): void {
  nextToken = tokens;
}

/** What no reader takes for the size of a difference of DC; only damaged files have them. */
const TOO_MANY_DC_BITS: usize = 16;

/** @returns the bits of what was counted; infinite where it cannot be written */
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
    // A DHT segment of its own.
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

/** Differences of DC of 8 bits have up to 11. */
const MAX_DC_BITS: i32 = 11;
/** What stands behind is taken to be like annex K's tables for one part in 2^4, and like the first rows for the rest. */
const SHARE_OF_STANDARD: u32 = 4;

/** Adds what may come behind what was counted, so that there are codes for it. */
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

/** Of the scan that was counted last: where the table is that a DHT segment is to hold. */
export function tableAt(table: i32): usize {
  return segments + <usize>table * SEGMENT_PITCH;
}
/** Its bytes; 0 where it is not used. */
export function tableBytes(table: i32): i32 {
  return numberAt(segmentBytes, table);
}
