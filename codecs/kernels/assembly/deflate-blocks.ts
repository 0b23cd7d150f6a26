/**
 * Joins neighbouring groups of tokens into one block if their common codes take no more bits than separate codes,
 * including the bits of the codes themselves.
 */
import { blockBits, writeBlock } from './deflate-codes';

/** The unwritten tokens start here; those up to `middle` are one block. */
let first: usize = 0;
let middle: usize = 0;
/** The bytes that they stand for. */
let raw: usize = 0;
let rawMiddle: usize = 0;
let bits: u64 = 0;

/**
 * Starts with an empty list of tokens.
 * @param tokens address of the coming tokens
 * @param bytes address of the bytes that they will stand for
 */
export function startCollecting(tokens: usize, bytes: usize): void {
  first = tokens;
  middle = tokens;
  raw = bytes;
  rawMiddle = bytes;
}

/** Adds the tokens after those that were added before. */
export function addTokens(end: usize, rawEnd: usize): void {
  if (end === middle) return;
  const own = blockBits(middle, end);
  if (middle > first) {
    const both = blockBits(first, end);
    if (both > bits + own) {
      writeBlock(first, middle, raw, rawMiddle, false);
      first = middle;
      raw = rawMiddle;
      bits = own;
    } else {
      bits = both;
    }
  } else {
    bits = own;
  }
  middle = end;
  rawMiddle = rawEnd;
}

/**
 * Returns the address for the next tokens.
 * @param list start of the memory for tokens
 * @param limit largest address where tokens may start
 */
export function nextTokens(list: usize, limit: usize): usize {
  if (middle > limit && first > list) {
    memory.copy(list, first, middle - first);
    middle = list + (middle - first);
    first = list;
  }
  if (middle > limit) {
    writeBlock(first, middle, raw, rawMiddle, false);
    first = list;
    middle = list;
    raw = rawMiddle;
  }
  return middle;
}

/**
 * Writes the remaining tokens.
 * @param rawEnd end of the bytes, also if there are no tokens
 */
export function writeRest(rawEnd: usize, isLast: bool): void {
  if (middle > first || isLast) writeBlock(first, middle, raw, rawEnd, isLast);
}
