/** Huffman tables (ITU-T T.81, annexes C and F.2.2.3), as they are looked up. */
import { countOfBits, skip, windowOfBits } from './bits';

/** Bits that one look tells about. */
const LOOK_BITS: i32 = 10;
const LOOKS: usize = 1 << LOOK_BITS;

// A table, by offsets in bytes.
/** For the next bits: length of the code << 8 | symbol; 0 where the code is longer. */
const SYMBOLS: usize = 0;
/** For the next bits: an entry of 32 bits, see `acEntry`. */
const AC_ENTRIES: usize = SYMBOLS + LOOKS * 2;
/** By length: the last code; -1 where there is none. */
const LAST_CODES: usize = AC_ENTRIES + LOOKS * 4;
/** By length: what added to a code is the place of its symbol. */
const PLACES: usize = LAST_CODES + 18 * 4;
const VALUES: usize = PLACES + 18 * 4;
/** For the next 12 bits: an entry of 16 bits, see `prepareSkips`. */
const SKIPS: usize = VALUES + 256;
const SKIP_BITS: i32 = 12;
export const TABLE_BYTES: usize = SKIPS + (2 << SKIP_BITS);

const MAX_LENGTH: i32 = 16;

/**
 * @param counts of the codes of length 1 to 16, a byte each
 * @param values the symbols, as many as there are codes: at most 256
 * @returns false for counts that are no prefix code
 */
export function buildTable(table: usize, counts: usize, values: usize): bool {
  memory.fill(table, 0, SKIPS);
  let code = 0;
  let place = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    const codes = <i32>load<u8>(counts + length - 1);
    store<i32>(table + PLACES + ((<usize>length) << 2), place - code);
    if (code + codes > 1 << length) return false;
    for (let index = 0; index < codes; index++) {
      const symbol = load<u8>(values + place);
      store<u8>(table + VALUES + place, symbol);
      if (length <= LOOK_BITS) {
        const first = <usize>(code << (LOOK_BITS - length));
        const looks = (<usize>1) << (LOOK_BITS - length);
        for (let look = first; look < first + looks; look++)
          store<u16>(table + SYMBOLS + (look << 1), <u16>((length << 8) | <i32>symbol));
      }
      code += 1;
      place += 1;
    }
    store<i32>(table + LAST_CODES + ((<usize>length) << 2), codes > 0 ? code - 1 : -1);
    code <<= 1;
  }
  store<i32>(table + LAST_CODES + 17 * 4, i32.MAX_VALUE);
  for (let look = 0; look < <i32>LOOKS; look++) storeAcEntry(table, look);
  return true;
}

// An entry for AC coefficients: bits of the value << 16 | HAS_NO_VALUE | how many places it takes << 8 | bits of the code and the value.
/** All coefficients that it stands for are zero, or the code is longer. */
export const HAS_NO_VALUE: i32 = 0x8000;
/** Places that the end of a block takes: all that there are. */
const ALL_PLACES: i32 = 64;

function storeAcEntry(table: usize, look: i32): void {
  const code = <i32>load<u16>(table + SYMBOLS + ((<usize>look) << 1));
  const symbol = code & 0xff;
  const bits = symbol & 15;
  const entry = (bits << 16) | (placesOf(symbol) << 8) | ((code >> 8) + bits);
  store<i32>(table + AC_ENTRIES + ((<usize>look) << 2), bits === 0 ? HAS_NO_VALUE : entry);
}

/** Places of the zigzag order that the symbol of an AC coefficient takes (F.2.2.2). */
export function placesOf(symbol: i32): i32 {
  if ((symbol & 15) !== 0) return (symbol >> 4) + 1;
  return symbol === 0xf0 ? 16 : ALL_PLACES;
}

/** A value of `bits` bits, at least 1, with its sign (F.2.2.1, EXTEND). */
export function signed(value: i32, bits: i32): i32 {
  // Without a branch: signs are random, and it would be mispredicted.
  return value + (((value >> (bits - 1)) - 1) & (1 - (1 << bits)));
}

/** The entry for the next bits of a window. */
export function acEntry(table: usize, window: u64, count: i32): i32 {
  return load<i32>(table + AC_ENTRIES + ((<usize>(window >> <u64>(count - LOOK_BITS)) & (LOOKS - 1)) << 2));
}

/** The next code of a window: its length << 8 | its symbol, 0 for a code that is none, as libjpeg does. */
export function codeAt(table: usize, window: u64, count: i32): i32 {
  const entry = <i32>load<u16>(table + SYMBOLS + ((<usize>(window >> <u64>(count - LOOK_BITS)) & (LOOKS - 1)) << 1));
  return entry === 0 ? longCodeAt(table, window, count) : entry;
}

function longCodeAt(table: usize, window: u64, count: i32): i32 {
  let length = LOOK_BITS;
  let code = 0;
  do {
    length += 1;
    code = <i32>(window >> <u64>(count - length)) & ((1 << length) - 1);
  } while (code > load<i32>(table + LAST_CODES + ((<usize>length) << 2)));
  if (length > MAX_LENGTH) return MAX_LENGTH << 8;
  const place = (code + load<i32>(table + PLACES + ((<usize>length) << 2))) & 0xff;
  return (length << 8) | <i32>load<u8>(table + VALUES + place);
}

// An entry for coefficients that are not needed: HAS_END | how many places the whole codes in the next bits take << 8 | their bits. The
// end of the block counts as a place.
export const HAS_END: i32 = 0x8000;
/** Where there is no whole code, or more places than a block has: takes too many. */
const UNUSABLE: i32 = 0x7f00;

/** Makes `skipEntry` of a table. */
export function prepareSkips(table: usize): void {
  for (let look = 0; look < 1 << SKIP_BITS; look++) {
    const window = (<u64>look) << 32;
    let left = SKIP_BITS;
    let places = 0;
    let end = 0;
    while (end === 0) {
      const code = codeAt(table, window, left + 32);
      const bits = (code >> 8) + (code & 15);
      if (bits > left) break;
      left -= bits;
      const own = placesOf(code & 0xff);
      if (own === ALL_PLACES) end = HAS_END;
      places += end !== 0 ? 1 : own;
    }
    const isUsable = places > 0 && places <= 64;
    const entry = isUsable ? end | (places << 8) | (SKIP_BITS - left) : UNUSABLE;
    store<u16>(table + SKIPS + ((<usize>look) << 1), <u16>entry);
  }
}

export function skipEntry(table: usize, window: u64, count: i32): i32 {
  return <i32>load<u16>(table + SKIPS + ((<usize>(window >> <u64>(count - SKIP_BITS)) & ((1 << SKIP_BITS) - 1)) << 1));
}

/** Takes a code. @returns its symbol; 0 for a code that is none, as libjpeg does */
export function takeSymbol(table: usize): i32 {
  const code = codeAt(table, windowOfBits(), countOfBits());
  skip(code >> 8);
  return code & 0xff;
}
