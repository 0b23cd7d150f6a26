/** Huffman tables (ITU-T T.81, annexes C and F.2.2.3) for fast look-up. */
import { countOfBits, skip, windowOfBits } from './bits';

/** Bits per look-up. */
const LOOK_BITS: i32 = 10;
const LOOKS: usize = 1 << LOOK_BITS;

// Layout of a table, as offsets in bytes.
/** By the next bits: length of the code << 8 | symbol; 0 if the code is longer. */
const SYMBOLS: usize = 0;
/** By the next bits: an entry of 32 bits, see `acEntry`. */
const AC_ENTRIES: usize = SYMBOLS + LOOKS * 2;
/** By length: the last code; -1 if there is none. */
const LAST_CODES: usize = AC_ENTRIES + LOOKS * 4;
/** By length: the number to add to a code to get the place of its symbol. */
const PLACES: usize = LAST_CODES + 18 * 4;
const VALUES: usize = PLACES + 18 * 4;
/** By the next 12 bits: an entry of 16 bits, see `prepareSkips`. */
const SKIPS: usize = VALUES + 256;
const SKIP_BITS: i32 = 12;
export const TABLE_BYTES: usize = SKIPS + (2 << SKIP_BITS);

const MAX_LENGTH: i32 = 16;

/**
 * Builds a table.
 * @param counts of the codes of length 1 to 16, one byte each
 * @param values the symbols, as many as there are codes: at most 256
 * @returns false if the counts are not those of a prefix code
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

// Entry for AC coefficients: bits of the value << 16 | HAS_NO_VALUE | number of places << 8 | bits of the code and the
// value.
/** All coefficients of the symbol are zero, or the code is longer. */
export const HAS_NO_VALUE: i32 = 0x8000;
/** Places of an end of block: all that are left. */
const ALL_PLACES: i32 = 64;

function storeAcEntry(table: usize, look: i32): void {
  const code = <i32>load<u16>(table + SYMBOLS + ((<usize>look) << 1));
  const symbol = code & 0xff;
  const bits = symbol & 15;
  const entry = (bits << 16) | (placesOf(symbol) << 8) | ((code >> 8) + bits);
  store<i32>(table + AC_ENTRIES + ((<usize>look) << 2), bits === 0 ? HAS_NO_VALUE : entry);
}

/** Returns the number of places in zigzag order that the symbol of an AC coefficient takes (F.2.2.2). */
export function placesOf(symbol: i32): i32 {
  if ((symbol & 15) !== 0) return (symbol >> 4) + 1;
  return symbol === 0xf0 ? 16 : ALL_PLACES;
}

/** Converts a value of `bits` bits, at least 1, to its signed value (F.2.2.1, EXTEND). */
export function signed(value: i32, bits: i32): i32 {
  // Without a branch, because signs are random and it would be mispredicted.
  return value + (((value >> (bits - 1)) - 1) & (1 - (1 << bits)));
}

/** Returns the entry for the next bits of a window. */
export function acEntry(table: usize, window: u64, count: i32): i32 {
  return load<i32>(table + AC_ENTRIES + ((<usize>(window >> <u64>(count - LOOK_BITS)) & (LOOKS - 1)) << 2));
}

/** Returns the next code of a window: length << 8 | symbol. An invalid code has symbol 0, as in libjpeg. */
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

// Entry for coefficients that are not needed: HAS_END | number of places of the whole codes in the next bits << 8 |
// their bits. The end of the block counts as one place.
export const HAS_END: i32 = 0x8000;
/** Used if there is no whole code, or more places than a block has. It takes more places than are left. */
const UNUSABLE: i32 = 0x7f00;

/** Builds the entries of `skipEntry` for a table. */
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

/**
 * Takes a code.
 * @returns its symbol; 0 for an invalid code, as in libjpeg
 */
export function takeSymbol(table: usize): i32 {
  const code = codeAt(table, windowOfBits(), countOfBits());
  skip(code >> 8);
  return code & 0xff;
}
