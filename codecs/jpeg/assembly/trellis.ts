/**
 * Trellis quantization. Each coefficient of a block that rounding has not made zero may stay, become the largest value
 * with one bit less, or become zero. The path with the smallest sum of bits and weighted squared errors is chosen. The
 * weights started as those of mozjpeg (jcdctmgr.c, quantize_trellis): an error counts less in a block with much energy.
 * They were fitted to Butteraugli and SSIMULACRA2 (npm run bench:jpeg-bytes): an error counts more in high frequencies
 * and in chroma.
 */

import { numberAt, setNumber } from '../../assembly/memory';
import { makeCodes } from './codes';
import { coefficientAt, setCoefficientAt } from './coefficients';
import { scaled } from './forward';
import { acMask, prepareMasks } from './masks';
import { NATURAL_ORDER, STANDARD_AC_CHROMA, STANDARD_AC_LUMA, ZIGZAG_ORDER } from './tables';

/** Lengths of the codes of AC coefficients, for luma and chroma, 256 bytes each. */
const lengths: usize = memory.data(2 * 256, 16);
/** How often each symbol was written. */
const counts: usize = memory.data(2 * 256 * 4, 16);
const codes: usize = memory.data(256 * 4, 16);
const segment: usize = memory.data(288, 16);

const END_OF_BLOCK: i32 = 0;
const SIXTEEN_ZEROS: i32 = 0xf0;
/** Length that is assumed for symbols without a code. */
const LONGEST: u8 = 16;

/** 2^14.75 and 2^16.5: mozjpeg's defaults of `lambda_log_scale1` and `lambda_log_scale2`. */
const SCALE_OF_WEIGHT: f32 = 27554.493;
const SCALE_OF_ENERGY: f32 = 92681.9;

/** Additional weight of errors at the highest frequency, relative to the lowest. */
const WEIGHT_OF_FREQUENCY: f32 = 2;

const FLOATS: usize = 64 * 4;
/**
 * Three lists per component, 64 floats each in natural order. The first converts scaled coefficients to quantized ones.
 */
export const FACTORS_BYTES: usize = FLOATS * 3;
/** Offset of the list that converts scaled coefficients to 8 times the coefficients. */
const UNITS: usize = FLOATS;
/** Offset of the list of weights of an error of one step. */
const WEIGHTS: usize = FLOATS * 2;

// Lists of the considered coefficients; the first entry is the start of the block.
const NODES: i32 = 64;
const places: usize = memory.data(NODES * 4, 4);
const costs: usize = memory.data(NODES * 4, 4);
const values: usize = memory.data(NODES * 4, 4);
const previous: usize = memory.data(NODES * 4, 4);
/** The cost of making all coefficients up to this one zero. */
const zeros: usize = memory.data(NODES * 4, 4);

/** Starts with the tables of T.81, annex K.3. */
export function startTrellis(): void {
  prepareMasks();
  memory.fill(counts, 0, 2 * 256 * 4);
  readLengths(STANDARD_AC_LUMA, lengths);
  readLengths(STANDARD_AC_CHROMA, lengths + 256);
}

/** @param table counts of lengths, then symbols, as in a DHT segment */
function readLengths(table: usize, out: usize): void {
  memory.fill(out, LONGEST, 256);
  let symbol = table + 16;
  for (let length: usize = 1; length <= 16; length++)
    for (let left = load<u8>(table + length - 1); left > 0; left--) {
      store<u8>(out + <usize>load<u8>(symbol), <u8>length);
      symbol += 1;
    }
}

/**
 * Updates the code lengths to fit what was written so far: after 1, 2, 4, 8 rows of MCUs and so on, because they change
 * less and less.
 * @param rows that were written
 */
export function learnLengths(rows: i32): void {
  if ((rows & (rows - 1)) !== 0) return;
  for (let kind: usize = 0; kind < 2; kind++) {
    const own = counts + (kind << 10);
    let isUsed = false;
    for (let at: usize = 0; at < 1024 && !isUsed; at += 4) isUsed = load<u32>(own + at) !== 0;
    if (!isUsed) continue;
    makeCodes(own, segment, codes);
    for (let symbol: usize = 0; symbol < 256; symbol++) {
      const length = <u8>(load<u32>(codes + (symbol << 2)) & 0xff);
      store<u8>(lengths + (kind << 8) + symbol, length === 0 ? LONGEST : length);
    }
  }
}

/**
 * Makes the factors of a component.
 * @param out `FACTORS_BYTES`
 * @param steps of quantization, 64 values of 16 bits in natural order
 * @param scales one float per coefficient, in natural order: `scaled` is the coefficient times its scale; 0 means 1
 * everywhere
 * @param importance weight of errors, relative to luma errors when an image is encoded
 */
export function makeFactors(out: usize, steps: usize, scales: usize, importance: f32): void {
  for (let place: usize = 0; place < 64; place++) {
    const scale = scales === 0 ? <f32>1 : load<f32>(scales + (place << 2));
    const step = <f32>load<u16>(steps + (place << 1));
    const frequency = <f32>load<u8>(ZIGZAG_ORDER + place) / 63;
    const at = out + (place << 2);
    store<f32>(at, 1 / (scale * step));
    store<f32>(at, 8 / scale, UNITS);
    store<f32>(at, importance * (1 + frequency * WEIGHT_OF_FREQUENCY), WEIGHTS);
  }
}

function float(list: usize, index: i32): f32 {
  return load<f32>(list + ((<usize>index) << 2));
}
function setFloat(list: usize, index: i32, value: f32): void {
  store<f32>(list + ((<usize>index) << 2), value);
}

/** Returns the cost of an error of one quantization step, in bits. */
function weightOf(units: usize): f32 {
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < 256; at += 16) {
    const part = f32x4.mul(v128.load(scaled + at), v128.load(units + at));
    sum = f32x4.add(sum, f32x4.mul(part, part));
  }
  const dc = load<f32>(scaled) * load<f32>(units);
  const all =
    f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
  const energy = (all - dc * dc) / 63;
  return (64 * SCALE_OF_WEIGHT) / (SCALE_OF_ENERGY + energy);
}

/**
 * Chooses the AC coefficients of the block in `scaled`, which is already quantized.
 * @param block 64 coefficients of 16 bits, in natural order
 * @param natural one bit for each of them that is not zero
 * @param factors from `makeFactors`
 * @param kind 0 for luma, 1 for chroma
 * @returns one bit per remaining AC coefficient, in zigzag order
 */
export function chooseCoefficients(block: usize, natural: u64, factors: usize, kind: usize): u64 {
  let mask = acMask(natural);
  const own = lengths + (kind << 8);
  if (mask !== 0) mask = choosePath(block, mask, factors, weightOf(factors + UNITS), own);
  count(block, mask, counts + (kind << 10));
  return mask;
}

function lengthOf(own: usize, symbol: i32): f32 {
  return <f32>(<i32>load<u8>(own + <usize>symbol));
}

/** @returns the mask of the remaining coefficients, in zigzag order */
function choosePath(block: usize, mask: u64, factors: usize, blockWeight: f32, own: usize): u64 {
  const sixteen = lengthOf(own, SIXTEEN_ZEROS);
  setNumber(places, 0, 0);
  setFloat(costs, 0, 0);
  setFloat(zeros, 0, 0);
  let nodes = 1;
  let allZero: f32 = 0;
  let left = mask;
  while (left !== 0) {
    const place = <i32>ctz<u64>(left);
    left &= left - 1;
    const at = <usize>load<u8>(NATURAL_ORDER + place);
    const value = <i32>load<i16>(block + (at << 1));
    const exact = abs(load<f32>(scaled + (at << 2)) * load<f32>(factors + (at << 2)));
    const rounded = abs(value);
    const bits = 32 - <i32>clz<i32>(rounded);
    const smaller = (1 << (bits - 1)) - 1;
    const weight = blockWeight * load<f32>(factors + (at << 2), WEIGHTS);
    const error = exact - <f32>rounded;
    const largerError = exact - <f32>smaller;
    const cost = error * error * weight + <f32>bits;
    const smallerCost = largerError * largerError * weight + <f32>(bits - 1);
    let best: f32 = Infinity;
    let chosen = 0;
    let from = 0;
    for (let node = nodes - 1; node >= 0; node--) {
      const between = allZero - float(zeros, node);
      // Earlier nodes cost even more.
      if (between >= best) break;
      let base = float(costs, node) + between;
      let run = place - numberAt(places, node) - 1;
      while (run > 15) {
        base += sixteen;
        run -= 16;
      }
      const kept = base + lengthOf(own, (run << 4) | bits) + cost;
      if (kept < best) {
        best = kept;
        chosen = rounded;
        from = node;
      }
      if (bits === 1) continue;
      const reduced = base + lengthOf(own, (run << 4) | (bits - 1)) + smallerCost;
      if (reduced < best) {
        best = reduced;
        chosen = smaller;
        from = node;
      }
    }
    allZero += exact * exact * weight;
    setNumber(places, nodes, place);
    setFloat(costs, nodes, best);
    setNumber(values, nodes, value < 0 ? -chosen : chosen);
    setNumber(previous, nodes, from);
    setFloat(zeros, nodes, allZero);
    nodes += 1;
  }
  let best = allZero + lengthOf(own, END_OF_BLOCK);
  let last = 0;
  for (let node = 1; node < nodes; node++) {
    const end = numberAt(places, node) < 63 ? lengthOf(own, END_OF_BLOCK) : 0;
    const cost = float(costs, node) + allZero - float(zeros, node) + end;
    if (cost < best) {
      best = cost;
      last = node;
    }
  }
  return writePath(block, mask, last);
}

function writePath(block: usize, mask: u64, last: i32): u64 {
  let kept: u64 = 0;
  for (let node = last; node > 0; node = numberAt(previous, node)) {
    const place = numberAt(places, node);
    const value = numberAt(values, node);
    // Zero if the steps of a hostile file make weights that are NaN.
    if (value !== 0) kept |= (<u64>1) << (<u64>place);
    setCoefficientAt(block, place, value);
  }
  let dropped = mask & ~kept;
  while (dropped !== 0) {
    setCoefficientAt(block, <i32>ctz<u64>(dropped), 0);
    dropped &= dropped - 1;
  }
  return kept;
}

function add(table: usize, symbol: i32): void {
  const at = table + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Counts the symbols that sequential coding writes for a block. */
function count(block: usize, mask: u64, table: usize): void {
  let before = 0;
  let left = mask;
  while (left !== 0) {
    const place = <i32>ctz<u64>(left);
    left &= left - 1;
    let run = place - before - 1;
    before = place;
    while (run > 15) {
      add(table, SIXTEEN_ZEROS);
      run -= 16;
    }
    const value = coefficientAt(block, place);
    add(table, (run << 4) | (32 - <i32>clz<i32>(abs(value))));
  }
  if (before < 63) add(table, END_OF_BLOCK);
}
