/** Huffman codes for symbols by how often they are (ITU-T T.81, annex K.2). */
import { numberAt, setNumber } from './memory';

const SYMBOLS: i32 = 257;
const MAX_LENGTH: i32 = 16;
/** Before lengths are limited: of counts below 2^32. */
const MAX_TREE_LENGTH: i32 = 64;

/**
 * The symbols that are used and one more, the rarest first: 64 bits each, how often << 9 | 256 - the symbol, or 0 for the one more. Of those that
 * are as often, the larger symbols come first: of longer runs, they are rarer where nothing was counted.
 */
const sorted: usize = memory.data(SYMBOLS * 8, 8);
/** Of each of them how often it is, then what the tree makes of it. */
const tree: usize = memory.data(SYMBOLS * 4, 4);
/** How many codes have each length. */
const ofLength: usize = memory.data((MAX_TREE_LENGTH + 1) * 4, 4);

/**
 * @param counts of 256 symbols, 32 bits each; at least one is not 0
 * @param segment becomes what a DHT segment holds of the table: 16 counts of codes, then the symbols
 * @param codes becomes the code << 8 | length of each symbol, 32 bits each
 * @returns the bytes of `segment`
 */
export function makeCodes(counts: usize, segment: usize, codes: usize): i32 {
  const count = sort(counts);
  for (let index = 0; index < count; index++) setNumber(tree, index, <i32>(at(index) >> 9));
  pair(count);
  countLengths(count);
  limitLengths();
  return writeTable(segment, codes, count);
}

function at(index: i32): u64 {
  return load<u64>(sorted + ((<usize>index) << 3));
}

/** @returns how many there are */
function sort(counts: usize): i32 {
  // One more symbol, of the longest code, so that no code is all ones.
  store<u64>(sorted, 1 << 9);
  let end = sorted + 8;
  for (let symbol: usize = 0; symbol < 256; symbol++) {
    const often = <u64>load<u32>(counts + (symbol << 2));
    if (often === 0) continue;
    const key = (often << 9) | <u64>(256 - symbol);
    let place = end;
    for (; load<u64>(place - 8) > key; place -= 8) store<u64>(place, load<u64>(place - 8));
    store<u64>(place, key);
    end += 8;
  }
  return <i32>((end - sorted) >> 3);
}

/**
 * Makes the tree in place, then its depths (A. Moffat and J. Katajainen, "In-place calculation of minimum-redundancy codes", 1995): pairs of
 * the two rarest, where each pair is as often as both, become nodes at the beginning of the list; each says which one it is part of, and in the
 * end how deep it is.
 */
function pair(count: i32): void {
  let root = 0;
  let leaf = 0;
  for (let node = 0; node < count - 1; node++) {
    let often: u32 = 0;
    for (let part = 0; part < 2; part++) {
      if (leaf >= count || (root < node && <u32>numberAt(tree, root) < <u32>numberAt(tree, leaf))) {
        often += <u32>numberAt(tree, root);
        setNumber(tree, root, node);
        root += 1;
      } else {
        often += <u32>numberAt(tree, leaf);
        leaf += 1;
      }
    }
    setNumber(tree, node, <i32>often);
  }
  setNumber(tree, count - 2, 0);
  for (let node = count - 3; node >= 0; node--) setNumber(tree, node, numberAt(tree, numberAt(tree, node)) + 1);
}

/** Of each depth, what is no node is a symbol. */
function countLengths(count: i32): void {
  memory.fill(ofLength, 0, (MAX_TREE_LENGTH + 1) * 4);
  let places = 1;
  let node = count - 2;
  for (let depth = 0; places > 0; depth++) {
    let nodes = 0;
    for (; node >= 0 && numberAt(tree, node) === depth; node--) nodes += 1;
    setNumber(ofLength, depth, places - nodes);
    places = 2 * nodes;
  }
}

function add(length: i32, change: i32): void {
  setNumber(ofLength, length, numberAt(ofLength, length) + change);
}

/** Figure K.3: two codes that are too long become one a bit shorter, and a shorter one two. */
function limitLengths(): void {
  for (let length = MAX_TREE_LENGTH; length > MAX_LENGTH; length--)
    while (numberAt(ofLength, length) > 0) {
      let shorter = length - 2;
      while (numberAt(ofLength, shorter) === 0) shorter -= 1;
      add(length, -2);
      add(length - 1, 1);
      add(shorter + 1, 2);
      add(shorter, -1);
    }
  let length = MAX_LENGTH;
  while (numberAt(ofLength, length) === 0) length -= 1;
  // The one that is no symbol.
  add(length, -1);
}

function writeTable(segment: usize, codes: usize, count: i32): i32 {
  memory.fill(codes, 0, 256 * 4);
  let next = count - 1;
  let code: u32 = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    const own = numberAt(ofLength, length);
    store<u8>(segment + length - 1, <u8>own);
    for (let index = 0; index < own; index++) {
      const symbol = 256 - (<usize>at(next) & 511);
      store<u8>(segment + 16 + (count - 1 - next), <u8>symbol);
      store<u32>(codes + (symbol << 2), (code << 8) | length);
      next -= 1;
      code += 1;
    }
    code <<= 1;
  }
  return 16 + count - 1;
}
