/** Computes the lengths of Huffman codes from symbol counts. Shared by the JPEG and deflate modules. */

const MAX_SYMBOLS: i32 = 289;
/** Largest length before lengths are limited, for counts below 2^32. */
const MAX_TREE_LENGTH: i32 = 64;
/** Bits for a symbol in a sort key. */
const SYMBOL_BITS: u64 = 9;
const LAST: i32 = 511;

/**
 * The used symbols, rarest first: 64 bits each, count << 9 | 511 - symbol. For the spare symbol the low bits are 0.
 * Among equal counts the larger symbols come first: they stand for longer runs, which are rarer if nothing was counted.
 */
const sorted: usize = memory.data(MAX_SYMBOLS * 8, 8);
/** The count of each of them, later replaced by tree nodes and depths. */
const tree: usize = memory.data(MAX_SYMBOLS * 4, 4);
/** The number of codes of each length. */
const ofLength: usize = memory.data((MAX_TREE_LENGTH + 1) * 4, 4);

/**
 * Finds the code lengths, which `codesOfLength` and `symbolAt` then return.
 * @param counts of `symbols` symbols, 32 bits each; at least two are not 0, including the spare symbol
 * @param spare adds one more symbol, the rarest, which gets the last of the longest codes; if it is left out of the
 * table, no code is all ones
 * @returns the number of used symbols
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

/** @param index 0 for the symbol with the longest code */
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

/**
 * Sorts the used symbols.
 * @returns their number
 */
function sort(counts: usize, symbols: i32, spare: bool): i32 {
  // The spare symbol comes before all others. Without `spare` it is overwritten.
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
 * Builds the tree in place, then computes its depths (A. Moffat and J. Katajainen, "In-place calculation of
 * minimum-redundancy codes", 1995). The two rarest items are paired into a node with the sum of their counts, at the
 * beginning of the list. Each node first stores its parent, and at the end its depth.
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

/** Counts the symbols at each depth: all places that are not nodes. */
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

/**
 * Limits the lengths (ITU-T T.81, figure K.3): two codes that are too long become one that is a bit shorter, and a
 * shorter code is split into two.
 */
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
