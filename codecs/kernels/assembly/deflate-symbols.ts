/** Tokens of matches, and the symbols and extra bits of their lengths and distances (RFC 1951, section 3.2.5). */

/** Number of symbols of distances. */
export const DISTANCES: i32 = 30;
/** A token that is a match has this bit, the length minus 3 from bit 16 on, and the distance minus 1 below. */
export const MATCH: u32 = 0x80000000;

/** For each length from 3 to 258: (symbol minus 257) << 8 | number of extra bits. */
const lengthSymbols: usize = memory.data(256 * 2, 2);
const lengthBases: usize = memory.data(29 * 2, 2);
/** Symbols of distances 1 to 256, and of larger ones by (distance minus 1) >> 7. */
const distanceSymbols: usize = memory.data(512);
const distanceBases: usize = memory.data(30 * 2, 2);

let isPrepared: bool = false;

/** Fills the tables that all streams share. */
export function prepareTables(): void {
  if (!isPrepared) prepareSymbols();
  isPrepared = true;
}

// The first eight symbols of lengths have 0 extra bits, then one more every four symbols. The
// first four symbols of distances have 0, then one more every two symbols.
function prepareSymbols(): void {
  let length = 0;
  for (let symbol = 0; symbol < 28; symbol++) {
    const extra = symbol < 8 ? 0 : (symbol >> 2) - 1;
    store<u16>(lengthBases + (symbol << 1), <u16>length);
    for (let count = 1 << extra; count > 0; count--, length++)
      store<u16>(lengthSymbols + (length << 1), <u16>((symbol << 8) | extra));
  }
  store<u16>(lengthBases + (28 << 1), 255);
  store<u16>(lengthSymbols + (255 << 1), 28 << 8);
  let distance = 0;
  for (let symbol = 0; symbol < DISTANCES; symbol++) {
    const extra = extraOfDistance(symbol);
    store<u16>(distanceBases + (symbol << 1), <u16>distance);
    const end = distance + (1 << extra);
    for (; distance < end; distance++)
      if (distance < 256) store<u8>(distanceSymbols + distance, <u8>symbol);
      else store<u8>(distanceSymbols + 256 + (distance >> 7), <u8>symbol);
  }
}

/**
 * Returns the number of extra bits of a distance.
 * @param symbol from `symbolOfDistance`
 */
export function extraOfDistance(symbol: i32): i32 {
  return symbol < 4 ? 0 : (symbol >> 1) - 1;
}

/** @param distance minus 1 */
export function symbolOfDistance(distance: u32): i32 {
  return <i32>load<u8>(distanceSymbols + (distance < 256 ? <usize>distance : 256 + (<usize>distance >> 7)));
}

/**
 * @param length from 3 on
 * @returns (symbol minus 257) << 8 | number of extra bits
 */
export function lengthSymbolOf(length: i32): u32 {
  return <u32>load<u16>(lengthSymbols + ((<usize>(length - 3)) << 1));
}

/** Returns the number of extra bits of a length from 3 on. */
export function extraOfLength(length: i32): u32 {
  return lengthSymbolOf(length) & 255;
}

/** @param symbol minus 257
 * @returns its smallest length, minus 3
 */
export function baseOfLength(symbol: u32): u32 {
  return <u32>load<u16>(lengthBases + (symbol << 1));
}

/** Returns the smallest distance of a symbol, minus 1. */
export function baseOfDistance(symbol: i32): u32 {
  return <u32>load<u16>(distanceBases + (symbol << 1));
}
