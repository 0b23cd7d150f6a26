/**
 * A deflate encoder (RFC 1951) for the filtered rows of PNG files. Bytes arrive in parts. Each part becomes whole
 * blocks, and later parts find matches in it.
 */

import { addTokens, nextTokens, startCollecting, writeRest } from './deflate-blocks';
import { costsOf, finishByte, startBlocks, writeTo, writtenTo } from './deflate-codes';
import {
  distanceOfMatch,
  findMatch,
  hashBytes,
  insert,
  MATCHES_BYTES,
  MAX_MATCH,
  moveMatches,
  startMatches,
} from './deflate-matches';
import { endsBlock, GROUP, startCounting } from './deflate-split';
import { MATCH, symbolOfDistance } from './deflate-symbols';

/** Largest number of tokens that are collected for a block. */
const MAX_TOKENS: usize = 32768;
const COSTS_BYTES: usize = (256 + 256 + 30) << 2;
/** A longer match is always used, without comparing its cost with that of its bytes as literals. */
const MAX_DOUBTFUL: i32 = 10;
/** For a longer match only the first and the last places are added to the chains. */
const MAX_ADDED: usize = 64;
/** The same for a run of equal pixels, where all places but the ends are the same. */
const MAX_ADDED_RUN: usize = 12;
/** Largest distance of a run: the bytes of a pixel. */
const MAX_RUN_DISTANCE: u32 = 8;

let tokens: usize = 0;
/** In sixteenths of bits: of literals, of lengths from 3 on, and of distances by symbol. */
let literalCosts: usize = 0;
let lengthCosts: usize = 0;
let distanceCosts: usize = 0;

/** Bytes of memory that `startDeflate` needs. */
export const deflateBytes: usize = MATCHES_BYTES + ((2 * MAX_TOKENS) << 2) + COSTS_BYTES;

/**
 * Starts a stream.
 * @param area of `deflateBytes`
 * @param at address of its bytes
 */
export function startDeflate(area: usize, at: usize): void {
  startMatches(area, at);
  tokens = area + MATCHES_BYTES;
  literalCosts = tokens + ((2 * MAX_TOKENS) << 2);
  lengthCosts = literalCosts + (256 << 2);
  distanceCosts = lengthCosts + (256 << 2);
  // Until there are codes: typical costs for filtered rows.
  for (let value = 0; value < 256; value++) {
    store<u32>(literalCosts + (value << 2), 7 << 4);
    store<u32>(lengthCosts + (value << 2), 8 << 4);
  }
  for (let symbol = 0; symbol < 30; symbol++)
    store<u32>(distanceCosts + (symbol << 2), (4 + (symbol < 4 ? 0 : (symbol >> 1) - 1)) << 4);
  startBlocks();
}

/** Adjusts positions after the bytes were moved towards the beginning. */
export function moveDeflated(by: usize): void {
  moveMatches(by);
}

/**
 * Writes bytes as blocks. Sixteen bytes after them must be readable.
 * @param to has space for the bytes, 5 more per 64 kB, and 1 kB
 * @param minMatch shorter matches are not found, 4 to 8
 * @param niceLength a match of this length ends the search
 * @param maxChain number of earlier positions that are compared with each position
 * @returns the end of the output; bits of an incomplete byte are kept for the next part, or for `finishDeflate`
 */
export function deflate(
  from: usize,
  end: usize,
  to: usize,
  minMatch: i32,
  niceLength: i32,
  maxChain: i32,
  isLast: bool,
): usize {
  hashBytes(minMatch);
  writeTo(to);
  startCollecting(tokens, from);
  let token = tokens;
  let tokensEnd = token + (MAX_TOKENS << 2) - 16;
  let groupEnd = token + (GROUP << 2);
  let block = from;
  let added = from;
  const nextChain = max((3 * maxChain) >> 3, 2);
  startCounting();
  for (let at = from; at < end; ) {
    let last: u32 = 0;
    if (at >= added) {
      last = insert(at);
      added = at + 1;
    }
    let length = findMatch(at, last, minMatch - 1, min(end, at + MAX_MATCH), niceLength, maxChain);
    let distance = distanceOfMatch();
    if (length < minMatch || !pays(at, length, distance)) {
      token = putLiteral(token, at);
      at += 1;
    } else {
      while (length < niceLength && token < tokensEnd) {
        const next = insert(at + 1);
        added = at + 2;
        const longer = findMatch(at + 1, next, length, min(end, at + 1 + MAX_MATCH), niceLength, nextChain);
        if (longer <= length || 4 * (longer - length) + <i32>clz<u32>(distanceOfMatch()) - <i32>clz<u32>(distance) <= 2)
          break;
        token = putLiteral(token, at);
        at += 1;
        length = longer;
        distance = distanceOfMatch();
      }
      store<u32>(token, MATCH | ((<u32>length - 3) << 16) | (distance - 1));
      token += 4;
      at += length;
      addPlaces(added, at, distance <= MAX_RUN_DISTANCE ? MAX_ADDED_RUN : MAX_ADDED);
      added = max(added, at);
    }
    if (token < groupEnd) continue;
    const group = groupEnd - (GROUP << 2);
    groupEnd += GROUP << 2;
    if (token >= tokensEnd || endsBlock(group, <u32>(at - block), <u32>(end - at))) {
      addTokens(token, at);
      costsOf(literalCosts, lengthCosts, distanceCosts);
      token = nextTokens(tokens, tokens + (MAX_TOKENS << 2));
      tokensEnd = token + (MAX_TOKENS << 2) - 16;
      groupEnd = token + (GROUP << 2);
      block = at;
      startCounting();
    }
  }
  addTokens(token, end);
  writeRest(end, isLast);
  return writtenTo();
}

/**
 * Fills the last byte.
 * @returns the end of the output
 */
export function finishDeflate(): usize {
  finishByte();
  return writtenTo();
}

function addPlaces(from: usize, end: usize, maxAdded: usize): void {
  if (end - from > maxAdded) {
    const first = maxAdded / 3;
    for (let at = from; at < from + first; at++) insert(at);
    from = end - (maxAdded - first);
  }
  for (let at = from; at < end; at++) insert(at);
}

function putLiteral(token: usize, at: usize): usize {
  store<u32>(token, <u32>load<u8>(at));
  return token + 4;
}

/** Whether a match takes fewer bits than its bytes as literals. */
function pays(at: usize, length: i32, distance: u32): bool {
  if (length > MAX_DOUBTFUL) return true;
  const cost =
    load<u32>(lengthCosts + ((length - 3) << 2)) + load<u32>(distanceCosts + (symbolOfDistance(distance - 1) << 2));
  let literals: u32 = 0;
  for (let byte = at; byte < at + length; byte++) literals += load<u32>(literalCosts + ((<usize>load<u8>(byte)) << 2));
  return cost < literals;
}
