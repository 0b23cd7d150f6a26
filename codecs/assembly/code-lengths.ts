/** Lengths of Huffman codes for symbols by how often they are: what the modules of JPEG and of deflate share. */

const MAX_SYMBOLS: i32 = 289;
/** Before lengths are limited: of counts below 2^32. */
const MAX_TREE_LENGTH: i32 = 64;
/** What a symbol and its place among those that are as often take. */
const SYMBOL_BITS: u64 = 9;
const LAST: i32 = 511;

/**
 * The symbols that are used, the rarest first: 64 bits each, how often << 9 | 511 - the symbol, or 0 for the spare one. Of those that are as
 * often, the larger symbols come first: of longer runs, they are rarer where nothing was counted.
 */
const sorted: usize = memory.data(MAX_SYMBOLS * 8, 8);
/** Of each of them how often it is, then what the tree makes of it. */
const tree: usize = memory.data(MAX_SYMBOLS * 4, 4);
/** How many codes have each length. */
const ofLength: usize = memory.data((MAX_TREE_LENGTH + 1) * 4, 4);

/**
 * Finds the lengths of the codes, which `codesOfLength` and `symbolAt` then tell.
 * @param counts of `symbols` symbols, 32 bits each; at least two are not 0, the spare one among them
 * @param spare one more symbol, the rarest, which gets the last of the longest codes: no code is all ones where that is left out
 * @returns how many symbols are used
 */
export function findCodeLengths(counts: usize, symbols: i32, maxLength: i32, spare: bool): i32 {
  const count = sort(counts, symbols, spare);
  for (let index = 0; index < count; index++) setNumber(tree, index, <i32>(at(index) >> SYMBOL_BITS));
  pair(count);
  countLengths(count);
  limitLengths(maxLength);
  return count;
}

export function codesOfLength(length: i32): i32 {
  return numberAt(ofLength, length);
}

/** @param index from that of the longest code, which is 0 */
export function symbolAt(index: i32): i32 {
  return LAST - (<i32>at(index) & LAST);
}

function at(index: i32): u64 {
  return load<u64>(sorted + ((<usize>index) << 3));
}

function numberAt(list: usize, index: i32): i32 {
  return load<i32>(list + ((<usize>index) << 2));
}

function setNumber(list: usize, index: i32, value: i32): void {
  store<i32>(list + ((<usize>index) << 2), value);
}

/** @returns how many there are */
function sort(counts: usize, symbols: i32, spare: bool): i32 {
  // In front of all others, also where it is not counted.
  store<u64>(sorted, 1 << 9);
  let end = spare ? sorted + 8 : sorted;
  for (let symbol = 0; symbol < symbols; symbol++) {
    const often = <u64>load<u32>(counts + ((<usize>symbol) << 2));
    if (often === 0) continue;
    const key = (often << SYMBOL_BITS) | <u64>(LAST - symbol);
    let place = end;
    for (; place > sorted && load<u64>(place - 8) > key; place -= 8) store<u64>(place, load<u64>(place - 8));
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

/** ITU-T T.81, figure K.3: two codes that are too long become one a bit shorter, and a shorter one two. */
function limitLengths(maxLength: i32): void {
  for (let length = MAX_TREE_LENGTH; length > maxLength; length--)
    while (numberAt(ofLength, length) > 0) {
      let shorter = length - 2;
      while (numberAt(ofLength, shorter) === 0) shorter -= 1;
      add(length, -2);
      add(length - 1, 1);
      add(shorter + 1, 2);
      add(shorter, -1);
    }
}
