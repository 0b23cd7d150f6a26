/** Huffman codes for symbols by how often they are (ITU-T T.81, annex K.2). */
import { numberAt, setNumber } from './memory';

const SYMBOLS: i32 = 257;
const MAX_LENGTH: i32 = 16;
/** Before lengths are limited. */
const MAX_TREE_LENGTH: i32 = 64;

// Lists by symbol, but for the last.
const frequencies: usize = memory.data(SYMBOLS * 4, 4);
const lengths: usize = memory.data(SYMBOLS * 4, 4);
/** The next symbol of the same tree; -1 behind the last. */
const others: usize = memory.data(SYMBOLS * 4, 4);
const ofLength: usize = memory.data((MAX_TREE_LENGTH + 1) * 4, 4);

/**
 * @param counts of 256 symbols, 32 bits each
 * @param segment becomes what a DHT segment holds of the table: 16 counts of codes, then the symbols
 * @param codes becomes the code << 8 | length of each symbol, 32 bits each
 * @returns the bytes of `segment`
 */
export function makeCodes(counts: usize, segment: usize, codes: usize): i32 {
  for (let symbol = 0; symbol < 256; symbol++)
    setNumber(frequencies, symbol, load<i32>(counts + ((<usize>symbol) << 2)));
  // One more symbol, so that no code is all ones.
  setNumber(frequencies, 256, 1);
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    setNumber(lengths, symbol, 0);
    setNumber(others, symbol, -1);
  }
  while (true) {
    const least = rarest(-1);
    const second = rarest(least);
    if (second < 0) break;
    add(frequencies, least, numberAt(frequencies, second));
    setNumber(frequencies, second, 0);
    const end = lengthen(least);
    setNumber(others, end, second);
    lengthen(second);
  }
  for (let length = 0; length <= MAX_TREE_LENGTH; length++) setNumber(ofLength, length, 0);
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const length = numberAt(lengths, symbol);
    if (length > 0) add(ofLength, min(length, MAX_TREE_LENGTH), 1);
  }
  limitLengths();
  return writeTable(segment, codes);
}

function add(list: usize, index: i32, change: i32): void {
  setNumber(list, index, numberAt(list, index) + change);
}

/** The symbol with the least frequency that is not 0, the last of several; not `besides`. */
function rarest(besides: i32): i32 {
  let found = -1;
  let least = u32.MAX_VALUE;
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const frequency = <u32>numberAt(frequencies, symbol);
    if (frequency === 0 || frequency > least || symbol === besides) continue;
    least = frequency;
    found = symbol;
  }
  return found;
}

/** Of all symbols of a tree. @returns the last of them */
function lengthen(first: i32): i32 {
  let symbol = first;
  add(lengths, symbol, 1);
  while (numberAt(others, symbol) >= 0) {
    symbol = numberAt(others, symbol);
    add(lengths, symbol, 1);
  }
  return symbol;
}

/** Figure K.3: two codes that are too long become one a bit shorter, and a shorter one two. */
function limitLengths(): void {
  for (let length = MAX_TREE_LENGTH; length > MAX_LENGTH; length--)
    while (numberAt(ofLength, length) > 0) {
      let shorter = length - 2;
      while (numberAt(ofLength, shorter) === 0) shorter -= 1;
      add(ofLength, length, -2);
      add(ofLength, length - 1, 1);
      add(ofLength, shorter + 1, 2);
      add(ofLength, shorter, -1);
    }
  let length = MAX_LENGTH;
  while (numberAt(ofLength, length) === 0) length -= 1;
  // The one that is no symbol.
  add(ofLength, length, -1);
}

function writeTable(segment: usize, codes: usize): i32 {
  memory.fill(codes, 0, 256 * 4);
  let place: usize = 16;
  for (let length = 1; length <= MAX_LENGTH; length++) store<u8>(segment + length - 1, <u8>numberAt(ofLength, length));
  // In the order of their lengths before they were limited.
  for (let length = 1; length <= MAX_TREE_LENGTH; length++)
    for (let symbol = 0; symbol < 256; symbol++)
      if (numberAt(lengths, symbol) === length) {
        store<u8>(segment + place, <u8>symbol);
        place += 1;
      }
  let code: u32 = 0;
  let next: usize = 16;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    for (let index = 0; index < numberAt(ofLength, length); index++) {
      store<u32>(codes + ((<usize>load<u8>(segment + next)) << 2), (code << 8) | length);
      next += 1;
      code += 1;
    }
    code <<= 1;
  }
  return <i32>place;
}
