/**
 * Produces the rows of a smaller image. Each component is resized at its own resolution, and colours are converted at
 * the end. The source lines of a row are combined first, then the samples within the row.
 */

import { numberAt, reserve, setNumber } from '../../assembly/memory';
import { highBytes, highDoubles, highHalves, lowBytes, lowDoubles, lowHalves } from '../../assembly/vectors';
import { storeRgb, storeRgbOfYcc } from './colour';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import { Component, colourModel, component, countOfComponents, GREY, MAX_COMPONENTS, YCBCR } from './frame';
import { decodeGroupsTo, lineAt } from './rows';

/** Fraction bits of weights: their sum is 2^14. */
const WEIGHT_BITS: i32 = 14;
/** Fraction bits of samples between the two directions. Some samples lie beyond black and white. */
const SAMPLE_BITS: i32 = 6;

/** How a component is resized. */
@unmanaged
class Resizing {
  /** For each sample of a line the index of its first source sample, as 32-bit numbers. */
  columnStarts: usize = 0;
  /** Weights of the source samples from there on, 16 bits each. */
  columnWeights: usize = 0;
  /** Number of weights per sample: a multiple of 8. */
  columnTaps: i32 = 0;
  /** The same for each line. */
  rowStarts: usize = 0;
  rowWeights: usize = 0;
  /** An even number. */
  rowTaps: i32 = 0;
}
const resizings: usize = memory.data(MAX_COMPONENTS * 32, 16);

let width: i32 = 0;
let nextRow: i32 = 0;
/** The combined lines: one line of 16-bit samples. */
let combined: usize = 0;
/** One resized line per component, and its bytes. */
let shown: usize = 0;
let shownBytes: usize = 0;
/** Addresses of the source lines of a row. */
let sources: usize = 0;

function resizing(index: i32): Resizing {
  return changetype<Resizing>(resizings + ((<usize>index) << 5));
}

function groupLines(own: Component): i32 {
  return own.down * own.side;
}

/**
 * Sets how a component is resized. Call it for each component after `startRows`. The parameters are those of
 * `Resizing`.
 */
export function resizeComponent(
  index: i32,
  columnStarts: usize,
  columnWeights: usize,
  columnTaps: i32,
  rowStarts: usize,
  rowWeights: usize,
  rowTaps: i32,
): void {
  const own = resizing(index);
  own.columnStarts = columnStarts;
  own.columnWeights = columnWeights;
  own.columnTaps = columnTaps;
  own.rowStarts = rowStarts;
  own.rowWeights = rowWeights;
  own.rowTaps = rowTaps;
}

/**
 * @param columns of a row
 * @returns false if there is not enough memory
 */
export function startResizing(columns: i32): bool {
  width = columns;
  nextRow = 0;
  let taps = 0;
  let samples = 0;
  for (let index = 0; index < countOfComponents(); index++) {
    taps = max(taps, resizing(index).rowTaps);
    samples = max(samples, component(index).width + resizing(index).columnTaps);
  }
  shownBytes = (<usize>columns + 15) & ~15;
  shown = reserve(<usize>MAX_COMPONENTS * shownBytes);
  combined = reserve((<usize>samples) << 1);
  sources = reserve((<usize>taps) << 2);
  return shown !== 0 && combined !== 0 && sources !== 0;
}

/**
 * Writes the next rows: grey or RGB.
 * @param pitch bytes from one row to the next; up to 64 bytes are written after the last row
 */
export function readResized(out: usize, pitch: i32, count: i32): void {
  for (let row = 0; row < count; row++) {
    readRow(out);
    nextRow += 1;
    out += pitch;
  }
}

function readRow(out: usize): void {
  const components = countOfComponents();
  for (let index = 0; index < components; index++) {
    const own = component(index);
    const each = resizing(index);
    const last = min(numberAt(each.rowStarts, nextRow) + each.rowTaps, own.height) - 1;
    decodeGroupsTo(last / groupLines(own));
  }
  const model = colourModel();
  for (let index = 0; index < components; index++) {
    const each = resizing(index);
    combineLines(component(index), each);
    resizeLine(each, model === GREY ? out : shown + <usize>index * shownBytes);
  }
  if (model === YCBCR) storeRgbOfYcc(out, shown, shown + shownBytes, shown + 2 * shownBytes, width);
  else if (model !== GREY) storeRgb(out, shown, shown + shownBytes, shown + 2 * shownBytes, width);
}

/** Combines the source lines of the next row, 16 samples at a time. */
function combineLines(own: Component, each: Resizing): void {
  const first = numberAt(each.rowStarts, nextRow);
  const weights = each.rowWeights + ((<usize>nextRow * <usize>each.rowTaps) << 1);
  for (let tap = 0; tap < each.rowTaps; tap++) setNumber(sources, tap, <i32>lineAt(own, first + tap));
  const end = sources + ((<usize>each.rowTaps) << 2);
  const half = i32x4.splat(1 << (WEIGHT_BITS - SAMPLE_BITS - 1));
  const bits = WEIGHT_BITS - SAMPLE_BITS;
  for (let x: usize = 0; x < <usize>own.width; x += 16) {
    let s0 = half;
    let s1 = half;
    let s2 = half;
    let s3 = half;
    let pair = weights;
    for (let source = sources; source < end; source += 8) {
      const upper = v128.load(<usize>load<u32>(source) + x);
      const lower = v128.load(<usize>load<u32>(source, 4) + x);
      const left = lowBytes(upper, lower);
      const right = highBytes(upper, lower);
      const both = v128.load32_splat(pair);
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(left), both));
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(left), both));
      s2 = i32x4.add(s2, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(right), both));
      s3 = i32x4.add(s3, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(right), both));
      pair += 4;
    }
    const at = combined + (x << 1);
    v128.store(at, i16x8.narrow_i32x4_s(i32x4.shr_s(s0, bits), i32x4.shr_s(s1, bits)));
    v128.store(at, i16x8.narrow_i32x4_s(i32x4.shr_s(s2, bits), i32x4.shr_s(s3, bits)), 16);
  }
}

/** Resizes the combined line, eight samples at a time. */
function resizeLine(each: Resizing, out: usize): void {
  const weightBytes = (<usize>each.columnTaps) << 1;
  const end = each.columnStarts + ((<usize>width) << 2);
  let weights = each.columnWeights;
  for (let starts = each.columnStarts; starts < end; starts += 32) {
    const low = fourSums(starts, weights, weightBytes);
    const high = fourSums(starts + 16, weights + 4 * weightBytes, weightBytes);
    const samples = i16x8.narrow_i32x4_s(low, high);
    v128.store64_lane(out, i8x16.narrow_i16x8_u(samples, samples), 0);
    weights += 8 * weightBytes;
    out += 8;
  }
}

/** Returns four samples. */
function fourSums(starts: usize, weights: usize, weightBytes: usize): v128 {
  const first = sumOf(load<u32>(starts), weights, weightBytes);
  const second = sumOf(load<u32>(starts, 4), weights + weightBytes, weightBytes);
  const third = sumOf(load<u32>(starts, 8), weights + 2 * weightBytes, weightBytes);
  const fourth = sumOf(load<u32>(starts, 12), weights + 3 * weightBytes, weightBytes);
  const left = i32x4.add(lowDoubles(first, second), highDoubles(first, second));
  const right = i32x4.add(lowDoubles(third, fourth), highDoubles(third, fourth));
  const sums = i32x4.add(lowHalves(left, right), highHalves(left, right));
  const half = i32x4.splat(1 << (WEIGHT_BITS + SAMPLE_BITS - 1));
  return i32x4.shr_s(i32x4.add(sums, half), WEIGHT_BITS + SAMPLE_BITS);
}

/** Returns a weighted sum of samples of the combined line, in four parts. */
function sumOf(first: u32, weights: usize, weightBytes: usize): v128 {
  const samples = combined + ((<usize>first) << 1);
  let sum = i32x4.dot_i16x8_s(v128.load(samples), v128.load(weights));
  for (let at: usize = 16; at < weightBytes; at += 16)
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(samples + at), v128.load(weights + at)));
  return sum;
}
