/** Finds earlier matches of a place with chains of all places that have the same hash. */

export const MAX_DISTANCE: u32 = 32768;
export const MAX_MATCH: i32 = 258;

const HASH_BITS: u64 = 15;
/** Odd, with an irregular pattern of ones and zeros. */
const MULTIPLIER: u64 = ((<u64>0x9e3779b1) << 32) | 0x85ebca77;
const HEADS: u32 = 1 << 15;
const WINDOW_MASK: u32 = MAX_DISTANCE - 1;
/** The first position. It is so large that unset entries are too far away. */
const FIRST_POSITION: u32 = MAX_DISTANCE * 2;

/** The last position of each hash, and for each position the one before it, 32 bits each. */
let heads: usize = 0;
let earlier: usize = 0;
/** The difference between the position of a byte and its address. */
let base: u32 = 0;
/** Bits of eight bytes that are not part of the hash. */
let ignoredBits: u64 = 0;

/** Bytes of memory that `startMatches` needs. */
export const MATCHES_BYTES: usize = (HEADS + MAX_DISTANCE) << 2;

export function startMatches(area: usize, at: usize): void {
  heads = area;
  earlier = area + (HEADS << 2);
  memory.fill(heads, 0, HEADS << 2);
  base = FIRST_POSITION - <u32>at;
}

/**
 * Sets how many bytes are hashed from now on.
 * @param bytes 4 to 8: shorter matches are not found
 */
export function hashBytes(bytes: i32): void {
  ignoredBits = <u64>(64 - 8 * bytes);
}

/** Adjusts positions after the bytes were moved towards the beginning. */
export function moveMatches(by: usize): void {
  base += <u32>by;
}

/** Returns the position of a byte in the whole stream. */
export function positionOf(at: usize): u32 {
  return base + <u32>at;
}

function headOf(at: usize): usize {
  const hash = ((load<u64>(at) << ignoredBits) * MULTIPLIER) >> (64 - HASH_BITS);
  return heads + ((<usize>hash) << 2);
}

/**
 * Adds a place. Reads eight bytes there.
 * @returns the last position with the same hash
 */
export function insert(at: usize): u32 {
  const head = headOf(at);
  const position = base + <u32>at;
  const last = load<u32>(head);
  store<u32>(head, position);
  store<u32>(earlier + ((position & WINDOW_MASK) << 2), last);
  return last;
}

/** Counts the bytes that two places share. May read 16 bytes after `end`. */
export function sharedBytes(one: usize, other: usize, end: usize): i32 {
  const start = other;
  while (other < end) {
    const differs = ~i8x16.bitmask(i8x16.eq(v128.load(one), v128.load(other))) & 0xffff;
    if (differs !== 0) return min(<i32>(other - start) + ctz<i32>(differs), <i32>(end - start));
    one += 16;
    other += 16;
  }
  return <i32>(end - start);
}

/** Distance of the match that `findMatch` found. */
let distance: u32 = 0;

export function distanceOfMatch(): u32 {
  return distance;
}

/**
 * Finds the longest match of a place; of equally long ones the nearest.
 * @param last from `insert`
 * @param best a match must be longer than this, which is at least 3
 * @param end where the bytes end, or where a match reaches its maximum length
 * @param niceLength a match of this length ends the search
 * @param maxChain number of earlier positions that are compared
 * @returns `best` if there is no longer match
 */
export function findMatch(at: usize, last: u32, best: i32, end: usize, niceLength: i32, maxChain: i32): i32 {
  const position = base + <u32>at;
  const first = load<u32>(at);
  const longest = <i32>(end - at);
  for (let tries = maxChain; tries > 0; tries--) {
    if (position - last >= MAX_DISTANCE) break;
    const there = <usize>(last - base);
    if (load<u32>(there + best - 3) === load<u32>(at + best - 3) && load<u32>(there) === first) {
      const shared = sharedBytes(there + 4, at + 4, end) + 4;
      if (shared > best) {
        best = shared;
        distance = position - last;
        if (best >= niceLength || best >= longest) break;
      }
    }
    last = load<u32>(earlier + ((last & WINDOW_MASK) << 2));
  }
  return best;
}
