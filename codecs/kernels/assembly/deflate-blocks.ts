/** Which tokens share a block: neighbours whose common codes take no more bits than codes of their own with what these take themselves. */
import { blockBits, writeBlock } from './deflate-codes';

/** Tokens that are not written yet begin here; those up to the middle are one block. */
let first: usize = 0;
let middle: usize = 0;
/** What they stand for. */
let raw: usize = 0;
let rawMiddle: usize = 0;
let bits: u64 = 0;

/** @param tokens where the tokens will be; @param bytes what they will stand for */
export function startCollecting(tokens: usize, bytes: usize): void {
  first = tokens;
  middle = tokens;
  raw = bytes;
  rawMiddle = bytes;
}

/** Adds the tokens behind those that were added before. */
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

/** @param list where tokens may be; @param limit where they may begin at most @returns where the next ones go */
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

/** Writes what is left. @param rawEnd where there may be no token */
export function writeRest(rawEnd: usize, isLast: bool): void {
  if (middle > first || isLast) writeBlock(first, middle, raw, rawEnd, isLast);
}
