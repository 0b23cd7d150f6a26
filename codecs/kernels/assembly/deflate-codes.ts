/** The codes of a deflate block, and writing a block with them (RFC 1951, section 3.2). */
import { codesOfLength, findCodeLengths, symbolAt } from '../../assembly/code-lengths';
import {
  baseOfDistance,
  baseOfLength,
  DISTANCES,
  extraOfDistance,
  lengthSymbolOf,
  MATCH,
  prepareTables,
  symbolOfDistance,
} from './deflate-symbols';

/** Literals, the end of the block and lengths; 286 and 287 are never used. */
const SYMBOLS: i32 = 286;
const END: i32 = 256;
const MAX_CODE_BITS: i32 = 15;
const LENGTH_CODES: i32 = 19;
const MAX_LENGTH_CODE_BITS: i32 = 7;
const MAX_STORED_BYTES: i32 = 65535;
/** Counts of the symbols of literals and lengths, of distances, and of code lengths. */
const counts: usize = memory.data(SYMBOLS * 4, 4);
/** Three more lists for literals, used in turn, because adding to the same number repeatedly is slower. */
const otherCounts: usize = memory.data(3 * 256 * 4, 16);
const distanceCounts: usize = memory.data(DISTANCES * 4, 4);
const lengthCodeCounts: usize = memory.data(LENGTH_CODES * 4, 4);
/** The bits of each code, the first one lowest, << 8 | their number. */
const codes: usize = memory.data(SYMBOLS * 4, 4);
const distanceCodes: usize = memory.data(DISTANCES * 4, 4);
const lengthCodes: usize = memory.data(LENGTH_CODES * 4, 4);
/**
 * The lengths of both kinds of codes, one after the other, and their run-length coding: symbol << 8 | value of its
 * extra bits.
 */
const lengths: usize = memory.data(SYMBOLS + DISTANCES);
const runs: usize = memory.data((SYMBOLS + DISTANCES) * 2, 2);
/** The coded form of each length from 3 to 258: code and extra bits << 8 | their number. */
const wholeLengths: usize = memory.data(256 * 4, 4);

/** The order of code lengths of the code length alphabet (RFC 1951, section 3.2.7). */
const ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
const EXTRA_OF_RUNS = memory.data<u8>([2, 3, 7]);

let bits: u64 = 0;
let held: u64 = 0;
let next: usize = 0;
/** Starts a stream. `writeTo` sets the address of its output. */
export function startBlocks(): void {
  prepareTables();
  bits = 0;
  held = 0;
}

export function writeTo(at: usize): void {
  next = at;
}

export function writtenTo(): usize {
  return next;
}

/** Fills the last byte. */
export function finishByte(): void {
  if (held > 0) {
    store<u8>(next, <u8>bits);
    next += 1;
  }
  bits = 0;
  held = 0;
}

/** Writes at most 32 bits. */
function put(value: u32, count: u32): void {
  bits |= (<u64>value) << held;
  held += <u64>count;
  store<u64>(next, bits);
  const bytes = held >> 3;
  next += <usize>bytes;
  held &= 7;
  bits >>= bytes << 3;
}

/** Counts the symbols of tokens. */
function count(tokens: usize, end: usize): void {
  memory.fill(counts, 0, SYMBOLS * 4);
  memory.fill(distanceCounts, 0, DISTANCES * 4);
  memory.fill(otherCounts, 0, 3 * 256 * 4);
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    if ((token & MATCH) === 0) {
      const list = at & 12;
      add(list === 0 ? counts : otherCounts - 1024 + (list << 8), token);
    } else {
      add(counts, 257 + (lengthSymbolOf(((token >> 16) & 255) + 3) >> 8));
      add(distanceCounts, symbolOfDistance(token & 0x7fff));
    }
  }
  for (let symbol: usize = 0; symbol < 1024; symbol += 16) {
    const sum = i32x4.add(
      i32x4.add(v128.load(counts + symbol), v128.load(otherCounts + symbol)),
      i32x4.add(v128.load(otherCounts + symbol, 1024), v128.load(otherCounts + symbol, 2048)),
    );
    v128.store(counts + symbol, sum);
  }
  add(counts, END);
}

function add(list: usize, symbol: u32): void {
  const at = list + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Makes codes for counted symbols. If fewer than two are used, others are counted as used, because not every reader
 * accepts a single code.
 */
function makeCodes(list: usize, symbols: i32, maxBits: i32, to: usize): void {
  let used = 0;
  for (let symbol = 0; symbol < symbols && used < 2; symbol++) used += i32(load<u32>(list + (symbol << 2)) !== 0);
  for (let symbol = 0; used < 2; symbol++)
    if (load<u32>(list + (symbol << 2)) === 0) {
      store<u32>(list + (symbol << 2), 1);
      used += 1;
    }
  const count = findCodeLengths(list, symbols, maxBits, false);
  memory.fill(to, 0, (<usize>symbols) << 2);
  // Codes of the same length increase with their symbols (RFC 1951, section 3.2.2).
  let index = count;
  for (let length = 1; length <= maxBits; length++)
    for (let own = codesOfLength(length); own > 0; own--) {
      index -= 1;
      store<u32>(to + ((<usize>symbolAt(index)) << 2), length);
    }
  let code: u32 = 0;
  for (let length = 1; length <= maxBits; length++) {
    code <<= 1;
    if (codesOfLength(length) === 0) continue;
    for (let symbol: usize = 0; symbol < <usize>symbols; symbol++)
      if (load<u32>(to + (symbol << 2)) === <u32>length) {
        store<u32>(to + (symbol << 2), ((reversed(code) >> (32 - length)) << 8) | <u32>length);
        code += 1;
      }
  }
}

function reversed(value: u32): u32 {
  let word = ((value >> 1) & 0x55555555) | ((value & 0x55555555) << 1);
  word = ((word >> 2) & 0x33333333) | ((word & 0x33333333) << 2);
  word = ((word >> 4) & 0x0f0f0f0f) | ((word & 0x0f0f0f0f) << 4);
  return bswap<u32>(word);
}

function lengthAt(list: usize, symbol: i32): u32 {
  return load<u32>(list + ((<usize>symbol) << 2)) & 255;
}

/** Returns the size of a list's symbols with these codes, in bits. */
function bitsOf(list: usize, symbols: i32, made: usize): u64 {
  let sum: u64 = 0;
  for (let symbol = 0; symbol < symbols; symbol++)
    sum += <u64>load<u32>(list + ((<usize>symbol) << 2)) * <u64>lengthAt(made, symbol);
  return sum;
}

/** Returns the size of the extra bits of matches. */
function extraBits(): u64 {
  let sum: u64 = 0;
  for (let symbol = 8; symbol < 28; symbol++)
    sum += <u64>load<u32>(counts + ((<usize>(257 + symbol)) << 2)) * <u64>((symbol >> 2) - 1);
  for (let symbol = 4; symbol < DISTANCES; symbol++)
    sum += <u64>load<u32>(distanceCounts + ((<usize>symbol) << 2)) * <u64>extraOfDistance(symbol);
  return sum;
}

/** Number of symbols of literals and lengths, and of distances, up to the last used one. */
let usedSymbols: i32 = 0;
let usedDistances: i32 = 0;
let runCount: i32 = 0;
let usedLengthCodes: i32 = 0;

/**
 * Prepares the coding of all code lengths: as runs, whose lengths have codes themselves.
 * @returns its bits
 */
function prepareHeader(): u64 {
  usedSymbols = SYMBOLS;
  while (usedSymbols > 257 && lengthAt(codes, usedSymbols - 1) === 0) usedSymbols -= 1;
  usedDistances = DISTANCES;
  while (usedDistances > 1 && lengthAt(distanceCodes, usedDistances - 1) === 0) usedDistances -= 1;
  for (let symbol = 0; symbol < usedSymbols; symbol++) store<u8>(lengths + symbol, <u8>lengthAt(codes, symbol));
  for (let symbol = 0; symbol < usedDistances; symbol++)
    store<u8>(lengths + usedSymbols + symbol, <u8>lengthAt(distanceCodes, symbol));
  memory.fill(lengthCodeCounts, 0, LENGTH_CODES * 4);
  runCount = 0;
  const total = usedSymbols + usedDistances;
  for (let at = 0; at < total; ) {
    const length = load<u8>(lengths + at);
    let run = 1;
    while (at + run < total && load<u8>(lengths + at + run) === length) run += 1;
    at += run;
    if (length === 0) {
      while (run >= 11) {
        const part = min(run, 138);
        putRun(18, part - 11);
        run -= part;
      }
      if (run >= 3) {
        putRun(17, run - 3);
        run = 0;
      }
    } else if (run >= 4) {
      putRun(length, 0);
      run -= 1;
      while (run >= 3) {
        const part = min(run, 6);
        putRun(16, part - 3);
        run -= part;
      }
    }
    for (; run > 0; run--) putRun(length, 0);
  }
  makeCodes(lengthCodeCounts, LENGTH_CODES, MAX_LENGTH_CODE_BITS, lengthCodes);
  usedLengthCodes = LENGTH_CODES;
  while (usedLengthCodes > 4 && lengthAt(lengthCodes, <i32>load<u8>(ORDER + usedLengthCodes - 1)) === 0)
    usedLengthCodes -= 1;
  let sum: u64 = 14 + 3 * <u64>usedLengthCodes;
  for (let index = 0; index < runCount; index++) {
    const symbol = <i32>(load<u16>(runs + (index << 1)) >> 8);
    sum += <u64>(lengthAt(lengthCodes, symbol) + (symbol < 16 ? 0 : <u32>load<u8>(EXTRA_OF_RUNS + symbol - 16)));
  }
  return sum;
}

function putRun(symbol: u32, value: u32): void {
  store<u16>(runs + (runCount << 1), <u16>((symbol << 8) | value));
  runCount += 1;
  add(lengthCodeCounts, symbol);
}

function writeHeader(): void {
  put(usedSymbols - 257, 5);
  put(usedDistances - 1, 5);
  put(usedLengthCodes - 4, 4);
  for (let index = 0; index < usedLengthCodes; index++) put(lengthAt(lengthCodes, <i32>load<u8>(ORDER + index)), 3);
  for (let index = 0; index < runCount; index++) {
    const run = <u32>load<u16>(runs + (index << 1));
    const symbol = run >> 8;
    const code = load<u32>(lengthCodes + ((<usize>symbol) << 2));
    put(code >> 8, code & 255);
    if (symbol >= 16) put(run & 255, <u32>load<u8>(EXTRA_OF_RUNS + symbol - 16));
  }
}

/** The fixed codes of section 3.2.6, to compare the total size. */
function fixedBits(symbol: i32): u32 {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

function bitsWithFixed(): u64 {
  let sum = extraBits();
  for (let symbol = 0; symbol < SYMBOLS; symbol++)
    sum += <u64>load<u32>(counts + ((<usize>symbol) << 2)) * <u64>fixedBits(symbol);
  for (let symbol = 0; symbol < DISTANCES; symbol++) sum += 5 * <u64>load<u32>(distanceCounts + ((<usize>symbol) << 2));
  return sum;
}

function makeFixedCodes(): void {
  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const code: u32 =
      symbol < 144
        ? 0x30 + symbol
        : symbol < 256
          ? 0x190 + symbol - 144
          : symbol < 280
            ? symbol - 256
            : 0xc0 + symbol - 280;
    const length = fixedBits(symbol);
    store<u32>(codes + ((<usize>symbol) << 2), ((reversed(code) >> (32 - length)) << 8) | length);
  }
  for (let symbol: u32 = 0; symbol < <u32>DISTANCES; symbol++)
    store<u32>(distanceCodes + ((<usize>symbol) << 2), ((reversed(symbol) >> 27) << 8) | 5);
}

function writeTokens(tokens: usize, end: usize): void {
  for (let length: u32 = 0; length < 256; length++) {
    const found = lengthSymbolOf(length + 3);
    const code = load<u32>(codes + ((<usize>(257 + (found >> 8))) << 2));
    const size = code & 255;
    const extra = length - baseOfLength(found >> 8);
    store<u32>(wholeLengths + (length << 2), (((code >> 8) | (extra << size)) << 8) | (size + (found & 255)));
  }
  let window = bits;
  let count = held;
  let to = next;
  for (let at = tokens; at < end; at += 4) {
    const token = load<u32>(at);
    if ((token & MATCH) === 0) {
      const code = load<u32>(codes + (token << 2));
      window |= (<u64>(code >> 8)) << count;
      count += <u64>(code & 255);
    } else {
      const length = load<u32>(wholeLengths + (((token >> 16) & 255) << 2));
      window |= (<u64>(length >> 8)) << count;
      count += <u64>(length & 255);
      const distance = token & 0x7fff;
      const symbol = symbolOfDistance(distance);
      const code = load<u32>(distanceCodes + ((<usize>symbol) << 2));
      const size = code & 255;
      const extra = distance - baseOfDistance(symbol);
      const whole = (code >> 8) | (extra << size);
      window |= (<u64>whole) << count;
      count += <u64>(size + extraOfDistance(symbol));
    }
    // A match takes at most 48 bits, and 7 may be left over.
    store<u64>(to, window);
    const bytes = count >> 3;
    to += <usize>bytes;
    count &= 7;
    window >>= bytes << 3;
  }
  bits = window;
  held = count;
  next = to;
  const code = load<u32>(codes + (END << 2));
  put(code >> 8, code & 255);
}

/** Returns the size of a block of tokens with codes of its own, in bits. */
export function blockBits(tokens: usize, end: usize): u64 {
  prepareCodes(tokens, end);
  return (
    prepareHeader() + bitsOf(counts, SYMBOLS, codes) + bitsOf(distanceCounts, DISTANCES, distanceCodes) + extraBits()
  );
}

/**
 * Writes tokens as a block, or as stored bytes if that is smaller.
 * @param raw the bytes that the tokens stand for
 */
export function writeBlock(tokens: usize, tokensEnd: usize, raw: usize, rawEnd: usize, isLast: bool): void {
  const dynamic = blockBits(tokens, tokensEnd);
  const fixed = bitsWithFixed();
  const least = min(fixed, dynamic);
  const bytes = rawEnd - raw;
  const stored = ((<u64>bytes) << 3) + 48 * (1 + <u64>bytes / MAX_STORED_BYTES);
  if (stored < least) {
    writeStored(raw, rawEnd, isLast);
    return;
  }
  put(<u32>isLast, 1);
  if (fixed < dynamic) {
    makeFixedCodes();
    put(1, 2);
  } else {
    put(2, 2);
    writeHeader();
  }
  writeTokens(tokens, tokensEnd);
}

function writeStored(raw: usize, rawEnd: usize, isLast: bool): void {
  let at = raw;
  do {
    const bytes = min(<i32>(rawEnd - at), MAX_STORED_BYTES);
    put(<u32>(isLast && at + bytes === rawEnd), 3);
    put(0, <u32>((8 - held) & 7));
    put(<u32>bytes | (~(<u32>bytes) << 16), 32);
    memory.copy(next, at, bytes);
    next += bytes;
    at += bytes;
  } while (at < rawEnd);
}

/** Writes an empty stored block, after which the output is at a byte boundary (a sync flush in zlib). */
export function writeEmptyBlock(): void {
  put(0, 3);
  put(0, <u32>((8 - held) & 7));
  put(0xffff0000, 32);
}

const MAX_COST_BITS: u32 = 14;

/**
 * Returns the costs of literals, lengths and distances with the codes of the last block, in sixteenths of bits. A
 * symbol without a code costs as much as one with a long code.
 * @param literals 256 numbers of 32 bits
 * @param lengthCosts 256, from length 3 on
 * @param distanceCosts 30, by symbol
 */
export function costsOf(literals: usize, lengthCosts: usize, distanceCosts: usize): void {
  for (let symbol = 0; symbol < 256; symbol++) store<u32>(literals + (symbol << 2), costOf(codes, symbol) << 4);
  for (let length = 0; length < 256; length++) {
    const found = lengthSymbolOf(length + 3);
    store<u32>(lengthCosts + (length << 2), (costOf(codes, 257 + (found >> 8)) + <u32>(found & 255)) << 4);
  }
  for (let symbol = 0; symbol < DISTANCES; symbol++)
    store<u32>(distanceCosts + (symbol << 2), (costOf(distanceCodes, symbol) + extraOfDistance(symbol)) << 4);
}

function costOf(list: usize, symbol: i32): u32 {
  const length = lengthAt(list, symbol);
  return length === 0 ? MAX_COST_BITS : length;
}

/** Makes codes for tokens without writing them, for `costsOf`. */
export function prepareCodes(tokens: usize, end: usize): void {
  count(tokens, end);
  makeCodes(counts, SYMBOLS, MAX_CODE_BITS, codes);
  makeCodes(distanceCounts, DISTANCES, MAX_CODE_BITS, distanceCodes);
}
