/**
 * Deflates with the sequence of matches that takes the fewest bits. All matches of every place are found, and the
 * cheapest cost from each place to the end of the block is computed from the end backwards. The costs of codes depend
 * on the chosen matches, so this is done several times.
 */

import { addTokens, nextTokens, startCollecting, writeRest } from './deflate-blocks';
import { costsOf, prepareCodes, writeTo, writtenTo } from './deflate-codes';
import { MAX_MATCH } from './deflate-matches';
import { endsBlock, GROUP, startCounting } from './deflate-split';
import { extraOfDistance, extraOfLength, MATCH, symbolOfDistance } from './deflate-symbols';
import { addToTree, endTreePart, startTree, TREE_BYTES } from './deflate-tree';
import { log16 } from './logarithm';

const MAX_PLACES: usize = 1 << 17;
/** Largest number of matches in a block. */
const MAX_MATCHES: usize = 1 << 20;
/** Largest number of matches in one place. */
const MAX_OWN_MATCHES: usize = 256;

/** In sixteenths of bits, like all costs. */
const MIN_LITERAL_COST: u32 = 8;
const USUAL_LENGTH_COST: u32 = 6 << 4;
const USUAL_DISTANCE_COST: u32 = 4 << 4;

/** Matches as length << 16 | distance minus 1. */
let matches: usize = 0;
/** Address of the matches of each place; the next place's address is their end. */
let starts: usize = 0;
/** The cost from each place to the end of the block, in sixteenths of bits, and the token that it starts with. */
let costs: usize = 0;
let choices: usize = 0;
let tokens: usize = 0;
let literalCosts: usize = 0;
let lengthCosts: usize = 0;
let distanceCosts: usize = 0;

/** Bytes of memory that `startOptimal` needs. */
export const optimalBytes: usize = ((MAX_MATCHES + 5 * (MAX_PLACES + 1) + 256 + 256 + 32) << 2) + TREE_BYTES + 64;

/**
 * Must be called after `startDeflate`.
 * @param area of `optimalBytes`
 */
export function startOptimal(area: usize): void {
  matches = area;
  starts = matches + (MAX_MATCHES << 2);
  costs = starts + ((MAX_PLACES + 1) << 2);
  choices = costs + ((MAX_PLACES + 1) << 2);
  tokens = choices + ((MAX_PLACES + 1) << 2);
  literalCosts = tokens + ((2 * (MAX_PLACES + 1)) << 2);
  lengthCosts = literalCosts + (256 << 2);
  distanceCosts = lengthCosts + (256 << 2);
  startTree(distanceCosts + (32 << 2));
}

/**
 * Like `deflate`.
 * @param passes how often the costs are computed
 */
export function deflateOptimally(
  from: usize,
  end: usize,
  to: usize,
  niceLength: i32,
  maxDepth: i32,
  passes: i32,
  isLast: bool,
): usize {
  writeTo(to);
  startCollecting(tokens, from);
  let block = from;
  do {
    const token = nextTokens(tokens, tokens + (MAX_PLACES << 2));
    const blockEnd = findBlock(block, end, niceLength, maxDepth, token);
    const places = <i32>(blockEnd - block);
    let tokensEnd = token;
    guessCosts(block, blockEnd);
    for (let pass = 0; pass < passes; pass++) {
      choose(block, places);
      tokensEnd = collectTokens(token, places);
      prepareCodes(token, tokensEnd);
      costsOf(literalCosts, lengthCosts, distanceCosts);
    }
    addTokens(tokensEnd, blockEnd);
    block = blockEnd;
  } while (block < end);
  endTreePart(end);
  writeRest(end, isLast);
  return writtenTo();
}

/**
 * Estimates costs before there are codes. Literals cost as much as if there were nothing else, so that short matches
 * are not overrated. Lengths and distances have typical costs.
 */
function guessCosts(block: usize, end: usize): void {
  memory.fill(literalCosts, 0, 256 << 2);
  for (let at = block; at < end; at++) {
    const count = literalCosts + ((<usize>load<u8>(at)) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  const all = log16(<u32>(end - block));
  for (let value: usize = 0; value < 256; value++) {
    const count = literalCosts + (value << 2);
    store<u32>(count, max(MIN_LITERAL_COST, all - log16(load<u32>(count))));
    store<u32>(lengthCosts + (value << 2), USUAL_LENGTH_COST + (extraOfLength(<i32>value + 3) << 4));
  }
  for (let symbol = 0; symbol < 30; symbol++)
    store<u32>(distanceCosts + (symbol << 2), USUAL_DISTANCE_COST + ((<u32>extraOfDistance(symbol)) << 4));
}

/** Finds the matches of a block, and its end, as if the longest match was always taken. */
function findBlock(block: usize, end: usize, niceLength: i32, maxDepth: i32, token: usize): usize {
  const last = min(end, block + MAX_PLACES);
  const matchesEnd = matches + ((MAX_MATCHES - MAX_OWN_MATCHES) << 2);
  let match = matches;
  let start = starts;
  let groupEnd = token + (GROUP << 2);
  let taken = block;
  let skipped = block;
  let at = block;
  startCounting();
  // Checked at every place: the tokens of a group may stand for about 7,000 places with nine matches each.
  for (; at < last && match <= matchesEnd; at++) {
    store<u32>(start, match);
    start += 4;
    const first = match;
    const found = addToTree(at, min(end, at + MAX_MATCH), niceLength, maxDepth, match);
    if (at >= skipped) {
      match = found;
      if (match > first && <i32>(load<u32>(match - 4) >> 16) >= niceLength)
        skipped = at + <usize>(load<u32>(match - 4) >> 16);
    }
    if (at < taken) continue;
    if (match > first) {
      const longest = load<u32>(match - 4);
      store<u32>(token, MATCH | (((longest >> 16) - 3) << 16) | (longest & 0x7fff));
      taken = at + <usize>(longest >> 16);
    } else {
      store<u32>(token, <u32>load<u8>(at));
      taken = at + 1;
    }
    token += 4;
    if (token < groupEnd) continue;
    groupEnd += GROUP << 2;
    if (endsBlock(token - (GROUP << 2), <u32>(at + 1 - block), <u32>(end - at - 1))) {
      at += 1;
      break;
    }
  }
  store<u32>(start, match);
  return at;
}

/** Chooses the cheapest token of each place, starting with the last one. */
function choose(block: usize, places: i32): void {
  store<u32>(costs + ((<usize>places) << 2), 0);
  for (let place = places - 1; place >= 0; place--) {
    const cost = costs + ((<usize>place) << 2);
    const value = <u32>load<u8>(block + place);
    let least = load<u32>(literalCosts + (value << 2)) + load<u32>(cost, 4);
    let choice = value;
    const own = starts + ((<usize>place) << 2);
    const end = <usize>load<u32>(own, 4);
    let length: u32 = 3;
    for (let match = <usize>load<u32>(own); match < end; match += 4) {
      const found = load<u32>(match);
      const distance = found & 0x7fff;
      const distanceCost = load<u32>(distanceCosts + (symbolOfDistance(distance) << 2));
      const longest = min(found >> 16, <u32>(places - place));
      for (; length <= longest; length++) {
        const sum =
          distanceCost + load<u32>(lengthCosts + ((length - 3) << 2)) + load<u32>(cost + ((<usize>length) << 2));
        if (sum >= least) continue;
        least = sum;
        choice = MATCH | ((length - 3) << 16) | distance;
      }
    }
    store<u32>(cost, least);
    store<u32>(choices + ((<usize>place) << 2), choice);
  }
}

function collectTokens(to: usize, places: i32): usize {
  for (let place = 0; place < places; ) {
    const choice = load<u32>(choices + ((<usize>place) << 2));
    store<u32>(to, choice);
    to += 4;
    place += (choice & MATCH) === 0 ? 1 : ((choice >> 16) & 255) + 3;
  }
  return to;
}
