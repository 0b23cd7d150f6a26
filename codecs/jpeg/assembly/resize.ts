/**
 * Rows of a smaller image. Each component is resized by itself, with the resolution that it has in the file; colours are converted at the
 * end. Lines are resized as they are decoded, then those that are held are combined to rows.
 */
import { storeRgb, storeRgbOfYcc } from './colour';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import { Component, colourModel, component, countOfComponents, GREY, MAX_COMPONENTS, YCBCR } from './frame';
import { numberAt, reserve, setNumber } from './memory';
import { decodeGroupsTo, lineAt, timesDown } from './rows';
import { highDoubles, highHalves, highPairs, lowDoubles, lowHalves, lowPairs } from './vectors';

/** Bits of the fraction of weights: their sum is 2^14. */
const WEIGHT_BITS: i32 = 14;
/** Those that samples have between the two directions. Some lie beyond black and white. */
const SAMPLE_BITS: i32 = 6;

/** How a component is resized. */
@unmanaged
class Resizing {
  /** For each sample of a line the first one that it is made of: numbers of 32 bits. */
  columnStarts: usize = 0;
  /** Weights of those from there on, 16 bits each. */
  columnWeights: usize = 0;
  /** How many: a multiple of 8. */
  columnTaps: i32 = 0;
  /** The same for each line. */
  rowStarts: usize = 0;
  rowWeights: usize = 0;
  /** An even number. */
  rowTaps: i32 = 0;
  /** Resized lines, 16 bits a sample; line `y` is at `y % count`. */
  lines: usize = 0;
  count: i32 = 0;
}
const resizings: usize = memory.data(MAX_COMPONENTS * 32, 16);

let width: i32 = 0;
/** Bytes of a line of 16 bits a sample. */
let lineBytes: usize = 0;
let nextRow: i32 = 0;
let groupsDone: i32 = 0;
/** A line of each component. */
let shown: usize = 0;
/** Addresses of the lines that a row is made of. */
let sources: usize = 0;

function resizing(index: i32): Resizing {
  return changetype<Resizing>(resizings + ((<usize>index) << 5));
}

function groupLines(own: Component): i32 {
  return own.down * own.side;
}

/** Says how a component is resized; to be called for each of them behind `startRows`. The parameters are those of `Resizing`. */
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

/** @param columns of a row. @returns false where there is no memory for it */
export function startResizing(columns: i32): bool {
  width = columns;
  lineBytes = ((<usize>columns + 15) & ~15) << 1;
  nextRow = 0;
  groupsDone = 0;
  let reach = 0;
  let taps = 0;
  for (let index = 0; index < countOfComponents(); index++) {
    reach = max(reach, resizing(index).rowTaps * timesDown(component(index)));
    taps = max(taps, resizing(index).rowTaps);
  }
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    const times = timesDown(own);
    const each = resizing(index);
    // Another component may need lines further below: those of the last group, and of the one before it.
    each.count = (reach + times - 1) / times + 2 * groupLines(own);
    each.lines = reserve(<usize>each.count * lineBytes);
    if (each.lines === 0) return false;
  }
  shown = reserve(<usize>MAX_COMPONENTS * lineBytes);
  sources = reserve((<usize>taps) << 2);
  return shown !== 0 && sources !== 0;
}

/** Writes the next rows: grey, or RGB. @param pitch bytes from one to the next; up to 64 are written beyond the last one */
export function readResized(out: usize, pitch: i32, count: i32): void {
  for (let row = 0; row < count; row++) {
    readRow(out);
    nextRow += 1;
    out += pitch;
  }
}

function readRow(out: usize): void {
  const components = countOfComponents();
  let group = 0;
  for (let index = 0; index < components; index++) {
    const own = component(index);
    const each = resizing(index);
    const last = min(numberAt(each.rowStarts, nextRow) + each.rowTaps, own.height) - 1;
    group = max(group, last / groupLines(own));
  }
  while (groupsDone <= group) {
    decodeGroupsTo(groupsDone);
    for (let index = 0; index < components; index++) resizeLines(component(index), resizing(index), groupsDone);
    groupsDone += 1;
  }
  const model = colourModel();
  if (model === GREY) {
    combineLines(resizing(0), out);
    return;
  }
  for (let index = 0; index < components; index++) combineLines(resizing(index), shown + <usize>index * lineBytes);
  if (model === YCBCR) storeRgbOfYcc(out, shown, shown + lineBytes, shown + 2 * lineBytes, width);
  else storeRgb(out, shown, shown + lineBytes, shown + 2 * lineBytes, width);
}

function lineOf(each: Resizing, line: i32): usize {
  return each.lines + <usize>(line % each.count) * lineBytes;
}

/** Resizes the lines of a group. */
function resizeLines(own: Component, each: Resizing, group: i32): void {
  const lines = groupLines(own);
  const end = min((group + 1) * lines, own.height);
  for (let line = group * lines; line < end; line++) resizeLine(lineAt(own, line), each, lineOf(each, line));
}

/** Eight samples at a time. */
function resizeLine(line: usize, each: Resizing, out: usize): void {
  const weightBytes = (<usize>each.columnTaps) << 1;
  const end = each.columnStarts + ((<usize>width) << 2);
  let weights = each.columnWeights;
  for (let starts = each.columnStarts; starts < end; starts += 32) {
    const low = fourSums(line, starts, weights, weightBytes);
    const high = fourSums(line, starts + 16, weights + 4 * weightBytes, weightBytes);
    v128.store(out, i16x8.narrow_i32x4_s(low, high));
    weights += 8 * weightBytes;
    out += 16;
  }
}

/** Four samples of a line. */
function fourSums(line: usize, starts: usize, weights: usize, weightBytes: usize): v128 {
  const first = sumOf(line + load<u32>(starts), weights, weightBytes);
  const second = sumOf(line + load<u32>(starts, 4), weights + weightBytes, weightBytes);
  const third = sumOf(line + load<u32>(starts, 8), weights + 2 * weightBytes, weightBytes);
  const fourth = sumOf(line + load<u32>(starts, 12), weights + 3 * weightBytes, weightBytes);
  const left = i32x4.add(lowDoubles(first, second), highDoubles(first, second));
  const right = i32x4.add(lowDoubles(third, fourth), highDoubles(third, fourth));
  const sums = i32x4.add(lowHalves(left, right), highHalves(left, right));
  const half = i32x4.splat(1 << (WEIGHT_BITS - SAMPLE_BITS - 1));
  return i32x4.shr_s(i32x4.add(sums, half), WEIGHT_BITS - SAMPLE_BITS);
}

/** Weighted samples, in four parts. */
function sumOf(samples: usize, weights: usize, weightBytes: usize): v128 {
  let sum = i32x4.dot_i16x8_s(v128.load8x8_u(samples), v128.load(weights));
  for (let at: usize = 16; at < weightBytes; at += 16)
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_u(samples + (at >> 1)), v128.load(weights + at)));
  return sum;
}

/** Makes a line of samples of 8 bits of those that are held. */
function combineLines(each: Resizing, out: usize): void {
  const first = numberAt(each.rowStarts, nextRow);
  const weights = each.rowWeights + ((<usize>nextRow * <usize>each.rowTaps) << 1);
  for (let tap = 0; tap < each.rowTaps; tap++) setNumber(sources, tap, <i32>lineOf(each, first + tap));
  const end = sources + ((<usize>each.rowTaps) << 2);
  const half = i32x4.splat(1 << (WEIGHT_BITS + SAMPLE_BITS - 1));
  for (let x: usize = 0; x < lineBytes; x += 16) {
    let low = half;
    let high = half;
    let pair = weights;
    for (let source = sources; source < end; source += 8) {
      const upper = v128.load(<usize>load<u32>(source) + x);
      const lower = v128.load(<usize>load<u32>(source, 4) + x);
      const both = v128.load32_splat(pair);
      low = i32x4.add(low, i32x4.dot_i16x8_s(lowPairs(upper, lower), both));
      high = i32x4.add(high, i32x4.dot_i16x8_s(highPairs(upper, lower), both));
      pair += 4;
    }
    const samples = i16x8.narrow_i32x4_s(
      i32x4.shr_s(low, WEIGHT_BITS + SAMPLE_BITS),
      i32x4.shr_s(high, WEIGHT_BITS + SAMPLE_BITS),
    );
    v128.store64_lane(out + (x >> 1), i8x16.narrow_i16x8_u(samples, samples), 0);
  }
}
