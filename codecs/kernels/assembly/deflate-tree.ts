/**
 * Finds every match of a place with a binary tree of all earlier places with the same hash, sorted by their bytes. Each
 * new place becomes the root, and smaller and larger places become its two branches. Matches get longer on the way
 * down.
 */
import { MAX_DISTANCE, positionOf, sharedBytes } from './deflate-matches';

const HASH_BITS: u32 = 15;
const HEADS: usize = 1 << 15;
const SHORT_HASH_BITS: u32 = 13;
const SHORT_HEADS: usize = 1 << 13;
const PLACES: usize = 32768;
const PLACE_MASK: u32 = 32767;
const MORE: usize = 4;

/** Bytes of memory that `startTree` needs. */
export const TREE_BYTES: usize = (HEADS + SHORT_HEADS + 2 * PLACES) << 2;

/** The last position of each hash of four bytes, and of each hash of three, 32 bits each. */
let roots: usize = 0;
let shortHeads: usize = 0;
/** Two positions per place: the smaller and the larger branch. */
let branches: usize = 0;
/** Position of the end of the bytes at the last `endTreePart`. */
let partEnd: u32 = 0;

/** Must be called after `startMatches`. */
export function startTree(area: usize): void {
  roots = area;
  shortHeads = roots + (HEADS << 2);
  branches = shortHeads + (SHORT_HEADS << 2);
  partEnd = 0;
  memory.fill(area, 0, TREE_BYTES);
}

/**
 * Ends a part of the bytes; more bytes will follow. The last positions were added before the bytes after them were
 * known, so the tree below them may be out of order. That makes matches shorter but never wrong: while such a position
 * is within reach, all bytes of a match are compared.
 */
export function endTreePart(end: usize): void {
  partEnd = positionOf(end);
}

function branchesOf(position: u32): usize {
  return branches + ((<usize>(position & PLACE_MASK)) << 3);
}

/**
 * Adds a place, and finds those of its matches that are longer than all nearer ones, from three bytes on.
 * @param end where the bytes end, or where a match reaches its maximum length; sixteen bytes after it must be readable
 * @param niceLength a match of this length ends the search
 * @param maxDepth number of earlier positions that are compared
 * @param to receives length << 16 | distance minus 1 of each, the shortest first, 32 bits each; the numbers after them
 * are undefined
 * @returns the end of the matches
 */
export function addToTree(at: usize, end: usize, niceLength: i32, maxDepth: i32, to: usize): usize {
  const position = positionOf(at);
  const bytes = load<u32>(at);
  const longest = <i32>(end - at);
  const enough = min(niceLength, longest);
  let best = addShort(at, position, bytes, longest, to);
  if (best > 0) to += 4;
  const root = roots + ((<usize>((bytes * 0x9e3779b1) >> (32 - HASH_BITS))) << 2);
  let there = load<u32>(root);
  store<u32>(root, position);
  let less = branchesOf(position);
  let more = less + MORE;
  let sharedWithLess = 0;
  let sharedWithMore = 0;
  best = 3;
  const isOrdered = position - partEnd >= MAX_DISTANCE;
  for (let tries = maxDepth; tries > 0 && position - there < MAX_DISTANCE; tries--) {
    const other = at - <usize>(position - there);
    let shared = isOrdered ? min(sharedWithLess, sharedWithMore) : 0;
    shared += sharedBytes(other + shared, at + shared, end);
    const own = branchesOf(there);
    if (shared > best) {
      best = shared;
      store<u32>(to, ((<u32>shared) << 16) | (position - there - 1));
      to += 4;
    }
    if (shared >= enough) {
      // The new place replaces the other one, which is an equally good match.
      store<u32>(less, load<u32>(own));
      store<u32>(more, load<u32>(own, MORE));
      return to;
    }
    if (load<u8>(other + shared) < load<u8>(at + shared)) {
      store<u32>(less, there);
      less = own + MORE;
      there = load<u32>(less);
      sharedWithLess = shared;
    } else {
      store<u32>(more, there);
      more = own;
      there = load<u32>(more);
      sharedWithMore = shared;
    }
  }
  store<u32>(less, 0);
  store<u32>(more, 0);
  return to;
}

/**
 * Finds the last place with the same three bytes.
 * @returns 3, or 0 if there is none
 */
function addShort(at: usize, position: u32, bytes: u32, longest: i32, to: usize): i32 {
  const head = shortHeads + ((<usize>(((bytes << 8) * 0x9e3779b1) >> (32 - SHORT_HASH_BITS))) << 2);
  const distance = position - load<u32>(head);
  store<u32>(head, position);
  if (longest < 3 || distance >= MAX_DISTANCE) return 0;
  if (((load<u32>(at - <usize>distance) ^ bytes) & 0xffffff) !== 0) return 0;
  store<u32>(to, (3 << 16) | (distance - 1));
  return 3;
}
