/**
 * Writes scans of kept coefficients, in sequential and progressive coding (ITU-T T.81, annexes F and G). A scan is
 * first counted, which gives its size and its tables, then written. If the coefficients of an image are not all kept at
 * the same time, the first rows determine the tables of sequential coding, with codes for symbols that do not occur in
 * them.
 */
import { blocksHeld, countOfRowsHeld } from './coefficients';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import { Component, component, countOfComponents, mcusAcross } from './frame';
import { acOf, dcOf, recordOf, valueAt, valuesOf } from './sparse';
import {
  countOthers,
  forgetTokens,
  keepRoom,
  makeTables,
  nextTokenAt,
  plain,
  putAll,
  refuseScan,
  setNextToken,
  startCounting,
  stopCounting,
  symbol,
  symbolAt,
} from './symbols';
import { continueWriting, finishWriting, startWriting, writtenTo } from './write-bits';

let first: i32 = 0;
let last: i32 = 63;
let high: i32 = 0;
let low: i32 = 0;
/** One bit per AC coefficient of the scan, in zigzag order. */
let band: u64 = 0;
let endOfBandRun: i32 = 0;
/** Correction bits of coefficients that were not zero before, for the blocks of the run; one byte each. */
const MAX_CORRECTIONS: i32 = 1000;
const corrections: usize = memory.data(1100);
let correctionCount: i32 = 0;
/** Bits of a token. */
const MAX_PLAIN_BITS: i32 = 16;

function sizeOf(magnitude: i32): i32 {
  return 32 - <i32>clz<i32>(magnitude);
}

/** Returns the bits of a value after its size (F.1.2.1). Those of a negative value are inverted. */
function signedBits(value: i32, bits: i32): i32 {
  return (value + (value >> 31)) & ((1 << bits) - 1);
}

/**
 * Counts a scan.
 * @param mask one bit per component
 * @param isSequential with all coefficients in full
 * @param step 1, or n to count one of n lines of blocks, to compare scans with each other
 * @returns its bits, without stuffing and headers
 */
export function countScan(
  mask: i32,
  isSequential: bool,
  from: i32,
  to: i32,
  highBit: i32,
  lowBit: i32,
  step: i32,
): f64 {
  startCounting();
  first = from;
  last = to;
  high = highBit;
  low = lowBit;
  band = ~1 & ((~(<u64>0) >> <u64>(63 - to)) ^ (((<u64>1) << (<u64>from)) - 1));
  encode(mask, isSequential, step);
  return makeTables();
}

/** Starts a sequential scan of all components for all rows of the image. Makes its tables from the kept rows. */
export function startRowsOfScan(): void {
  startCounting();
  high = 0;
  low = 0;
  band = ~1;
  startComponents();
  for (let row = 0; row < countOfRowsHeld(); row++) encodeRow(allComponents(), row, true);
  countOthers();
  makeTables();
  stopCounting();
  forgetTokens();
  startComponents();
  startWriting(0);
}

/**
 * Writes a row of MCUs.
 * @param row counted from the first kept one
 * @param out with `MAX_BLOCK_BYTES` for each of its blocks
 * @returns the end of the complete bytes
 */
export function writeRowOfScan(out: usize, row: i32): usize {
  continueWriting(out);
  encodeRow(allComponents(), row, true);
  putAll();
  return writtenTo();
}

/**
 * Writes the rest of the last byte.
 * @returns its end
 */
export function finishRowsOfScan(out: usize): usize {
  continueWriting(out);
  return finishWriting();
}

function allComponents(): i32 {
  return (1 << countOfComponents()) - 1;
}

/**
 * Writes the data of the scan that was counted last.
 * @returns the end of the data
 */
export function writeScan(out: usize, mask: i32, isSequential: bool): usize {
  startWriting(out);
  if (!stopCounting()) {
    forgetTokens();
    encode(mask, isSequential, 1);
  }
  putAll();
  return finishWriting();
}

function encode(mask: i32, isSequential: bool, step: i32): void {
  endOfBandRun = 0;
  correctionCount = 0;
  startComponents();
  if ((mask & (mask - 1)) === 0) encodeComponent(<i32>ctz<i32>(mask), isSequential, step);
  else for (let row = 0; row < countOfRowsHeld(); row += step) encodeRow(mask, row, isSequential);
  endBand();
}

function startComponents(): void {
  for (let index = 0; index < 4; index++) component(index).prediction = 0;
}

function encodeComponent(index: i32, isSequential: bool, step: i32): void {
  const own = component(index);
  for (let y = 0; y < own.blocksDown; y += step) {
    const line = <usize>y * own.pitchBlocks;
    for (let x = 0; x < own.blocksAcross; x++) encodeBlock(own, index, line + x, isSequential);
  }
}

/** @param row of MCUs, counted from the first kept one */
function encodeRow(mask: i32, row: i32, isSequential: bool): void {
  const across = mcusAcross();
  for (let x = 0; x < across; x++)
    for (let index = 0; index < 4; index++) {
      if ((mask & (1 << index)) === 0) continue;
      const own = component(index);
      const held = blocksHeld(index);
      for (let down = 0; down < own.down; down++) {
        const line = row * own.down + down;
        for (let column = 0; column < own.across; column++) {
          const place = x * own.across + column;
          // Blocks that only fill up the last MCU repeat the block before them.
          if (line >= held || place >= own.blocksAcross) encodeFiller(own, index, isSequential);
          else encodeBlock(own, index, <usize>line * own.pitchBlocks + place, isSequential);
        }
      }
    }
}

function encodeFiller(own: Component, index: i32, isSequential: bool): void {
  keepRoom();
  if (high === 0) encodeDc(own, index, own.prediction);
  else plain((own.prediction >> low) & 1, 1);
  if (isSequential) symbol(acTableOf(index), 0, 0, 0);
}

function acTableOf(index: i32): i32 {
  return index === 0 ? 2 : 3;
}

function encodeBlock(own: Component, index: i32, number: usize, isSequential: bool): void {
  keepRoom();
  const record = recordOf(index, number);
  if (isSequential) {
    encodeDc(own, index, dcOf(record));
    encodeAllAc(record, acTableOf(index));
  } else if (first === 0) {
    const dc = dcOf(record);
    if (high === 0) encodeDc(own, index, dc >> low);
    else {
      own.prediction = dc;
      plain((dc >> low) & 1, 1);
    }
  } else if (high === 0) encodeBand(record, acOf(record, low) & band);
  else encodeRefinement(record, acOf(record, low) & band, acOf(record, high) & band);
}

function encodeDc(own: Component, index: i32, dc: i32): void {
  const difference = dc - own.prediction;
  own.prediction = dc;
  const bits = sizeOf(abs(difference));
  symbol(index === 0 ? 0 : 1, bits, signedBits(difference, bits), bits);
}

/** The largest size that the symbol of a coefficient can hold (F.1.2.2). */
const MAX_AC_BITS: i32 = 15;

function encodeAllAc(record: usize, table: i32): void {
  let mask = acOf(record, 0);
  let at = valuesOf(record);
  let before = 0;
  let out = nextTokenAt();
  while (mask !== 0) {
    const index = <i32>ctz<u64>(mask);
    mask &= mask - 1;
    let run = index - before - 1;
    for (; run > 15; run -= 16) out = symbolAt(out, table, 0xf0, 0, 0);
    before = index;
    const value = <i32>load<i16>(at);
    at += 2;
    const bits = sizeOf(abs(value));
    if (bits > MAX_AC_BITS) refuseScan();
    out = symbolAt(out, table, (run << 4) | bits, signedBits(value, bits), bits);
  }
  if (before < 63) out = symbolAt(out, table, 0, 0, 0);
  setNextToken(out);
}

// A band uses the AC tables of the first component, because a band has only one component.
const BAND: i32 = 2;

function encodeBand(record: usize, mask: u64): void {
  let before = first - 1;
  if (mask !== 0) endBand();
  let out = nextTokenAt();
  while (mask !== 0) {
    const index = <i32>ctz<u64>(mask);
    mask &= mask - 1;
    let run = index - before - 1;
    for (; run > 15; run -= 16) out = symbolAt(out, BAND, 0xf0, 0, 0);
    before = index;
    const value = valueAt(record, index);
    const magnitude = abs(value) >> low;
    const bits = sizeOf(magnitude);
    if (bits > MAX_AC_BITS) refuseScan();
    out = symbolAt(out, BAND, (run << 4) | bits, value < 0 ? ~magnitude & ((1 << bits) - 1) : magnitude, bits);
  }
  setNextToken(out);
  if (before === last) return;
  endOfBandRun += 1;
  if (endOfBandRun === 0x7fff) endBand();
}

/** Writes the number of blocks that end here (G.1.2.2), and the corrections of their coefficients. */
function endBand(): void {
  if (endOfBandRun === 0) return;
  const bits = sizeOf(endOfBandRun) - 1;
  symbol(BAND, bits << 4, endOfBandRun & ((1 << bits) - 1), bits);
  endOfBandRun = 0;
  writeCorrections(0, correctionCount);
  correctionCount = 0;
}

function writeCorrections(from: i32, count: i32): void {
  const end = from + count;
  for (let index = from; index < end; ) {
    const stop = min(index + MAX_PLAIN_BITS, end);
    const length = stop - index;
    let bits = 0;
    for (; index < stop; index++) bits = (bits << 1) | <i32>load<u8>(corrections + index);
    plain(bits, length);
  }
}

/**
 * Writes one more bit of known coefficients, and the first bit of others (G.1.2.3).
 * @param mask of both
 * @param known coefficients of earlier scans
 */
function encodeRefinement(record: usize, mask: u64, known: u64): void {
  const added = mask & ~known;
  const lastNew = added === 0 ? 0 : 63 - <i32>clz<u64>(added);
  /** The last place before the run, and the number of known coefficients since then, which are not part of a run. */
  let before = first - 1;
  let passed = 0;
  // Corrections since the last symbol are stored after those of the run of blocks.
  let start = correctionCount;
  let count = 0;
  while (mask !== 0) {
    const index = <i32>ctz<u64>(mask);
    const isKnown = ((known >> <u64>index) & 1) !== 0;
    mask &= mask - 1;
    const value = valueAt(record, index);
    let run = index - before - 1 - passed;
    while (run > 15 && index <= lastNew) {
      endBand();
      symbol(BAND, 0xf0, 0, 0);
      run -= 16;
      before += 16;
      writeCorrections(start, count);
      start = 0;
      count = 0;
    }
    if (isKnown) {
      store<u8>(corrections + start + count, <u8>((abs(value) >> low) & 1));
      count += 1;
      passed += 1;
      continue;
    }
    endBand();
    symbol(BAND, (run << 4) | 1, value < 0 ? 0 : 1, 1);
    writeCorrections(start, count);
    start = 0;
    count = 0;
    before = index;
    passed = 0;
  }
  if (last - before - passed === 0 && count === 0) return;
  endOfBandRun += 1;
  correctionCount += count;
  if (endOfBandRun === 0x7fff || correctionCount > MAX_CORRECTIONS - 63) endBand();
}
