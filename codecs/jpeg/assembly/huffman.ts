/** Huffman tables (ITU-T T.81, annexes C and F.2.2.3), as they are looked up. */
import { peek, skip } from './bits';

/** Bits of a code that one look tells. */
const LOOK_BITS: i32 = 9;
const LOOKS: usize = 1 << LOOK_BITS;

// A table, by offsets in bytes.
/** For the next 9 bits: length of the code << 8 | symbol; 0 where the code is longer. */
const SYMBOLS: usize = 0;
/** For the next 9 bits: coefficient << 8 | run << 4 | bits, where the code and its coefficient are in them; 0 otherwise. */
const COEFFICIENTS: usize = SYMBOLS + LOOKS * 2;
/** By length: the last code; -1 where there is none. */
const LAST_CODES: usize = COEFFICIENTS + LOOKS * 2;
/** By length: what added to a code is the place of its symbol. */
const PLACES: usize = LAST_CODES + 18 * 4;
const VALUES: usize = PLACES + 18 * 4;
export const TABLE_BYTES: usize = VALUES + 256;

const MAX_LENGTH: i32 = 16;

/**
 * @param counts of the codes of length 1 to 16, a byte each
 * @param values the symbols, as many as there are codes: at most 256
 * @returns false for counts that are no prefix code
 */
export function buildTable(table: usize, counts: usize, values: usize): bool {
  memory.fill(table, 0, TABLE_BYTES);
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
  buildCoefficients(table);
  return true;
}

function buildCoefficients(table: usize): void {
  for (let look: usize = 0; look < LOOKS; look++) {
    const entry = <i32>load<u16>(table + SYMBOLS + (look << 1));
    const length = entry >> 8;
    const bits = entry & 15;
    const run = (entry >> 4) & 15;
    if (length === 0 || bits === 0 || length + bits > LOOK_BITS) continue;
    let value = (<i32>look >> (LOOK_BITS - length - bits)) & ((1 << bits) - 1);
    if (value < 1 << (bits - 1)) value -= (1 << bits) - 1;
    if (value >= -128 && value < 128)
      store<i16>(table + COEFFICIENTS + (look << 1), <i16>((value << 8) | (run << 4) | (length + bits)));
  }
}

/** The entry of `COEFFICIENTS` for the next bits. */
export function nextCoefficient(table: usize): i32 {
  return <i32>load<i16>(table + COEFFICIENTS + ((<usize>peek(LOOK_BITS)) << 1));
}

/** Takes a code. @returns its symbol; 0 for a code that is none, as libjpeg does */
export function takeSymbol(table: usize): i32 {
  const entry = <i32>load<u16>(table + SYMBOLS + ((<usize>peek(LOOK_BITS)) << 1));
  if (entry === 0) return takeLongSymbol(table);
  skip(entry >> 8);
  return entry & 0xff;
}

function takeLongSymbol(table: usize): i32 {
  let length = LOOK_BITS + 1;
  let code = peek(length);
  while (code > load<i32>(table + LAST_CODES + ((<usize>length) << 2))) {
    length += 1;
    code = peek(length);
  }
  if (length > MAX_LENGTH) {
    skip(MAX_LENGTH);
    return 0;
  }
  skip(length);
  return <i32>load<u8>(table + VALUES + ((code + load<i32>(table + PLACES + ((<usize>length) << 2))) & 0xff));
}
