/** Estimates the deflated size of bytes from a quick search for matches. */

import { sharedBytes } from './deflate-matches';
import { lengthSymbolOf, prepareTables, symbolOfDistance } from './deflate-symbols';
import { log16 } from './logarithm';

const HASH_BITS: u32 = 12;
const HEADS: usize = 1 << 12;
const MAX_DISTANCE: usize = 32768;
const MAX_MATCH: usize = 258;
const MIN_MATCH: i32 = 4;
const SYMBOLS: usize = 286 + 30;
const FIRST_DISTANCE: u32 = 286;

/** Bytes of memory that `estimateDeflated` needs. */
export const estimateBytes: usize = (HEADS + SYMBOLS) << 2;

/**
 * @param area of `estimateBytes`
 * @param end sixteen bytes after it must be readable
 */
export function estimateDeflated(from: usize, end: usize, area: usize): u32 {
  prepareTables();
  memory.fill(area, 0, estimateBytes);
  const counts = area + (HEADS << 2);
  let extra: u32 = 0;
  for (let at = from; at < end; ) {
    const bytes = load<u32>(at);
    const head = area + ((<usize>((bytes * 0x9e3779b1) >> (32 - HASH_BITS))) << 2);
    const there = load<usize>(head);
    store<usize>(head, at);
    let length = 0;
    if (at - there < MAX_DISTANCE && load<u32>(there) === bytes)
      length = sharedBytes(there, at, min(end, at + MAX_MATCH));
    if (length < MIN_MATCH) {
      count(counts, <u32>load<u8>(at));
      at += 1;
    } else {
      const symbol = lengthSymbolOf(length);
      const distance = symbolOfDistance(<u32>(at - there) - 1);
      count(counts, 257 + (symbol >> 8));
      count(counts, FIRST_DISTANCE + distance);
      extra += (symbol & 255) + (distance < 4 ? 0 : (<u32>distance >> 1) - 1);
      at += length;
    }
  }
  return (entropy(counts, 286) + entropy(counts + (FIRST_DISTANCE << 2), 30) + (extra << 4)) >> 7;
}

function count(counts: usize, symbol: u32): void {
  const at = counts + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Returns the entropy of counted symbols, in sixteenths of bits. */
function entropy(counts: usize, symbols: usize): u32 {
  let total: u32 = 0;
  for (let at: usize = 0; at < symbols << 2; at += 4) total += load<u32>(counts + at);
  let bits: u32 = 0;
  const whole = log16(total);
  for (let at: usize = 0; at < symbols << 2; at += 4) {
    const often = load<u32>(counts + at);
    bits += often * (whole - log16(often));
  }
  return bits;
}
