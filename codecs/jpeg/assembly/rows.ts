/** Decodes rows of pixels, from the first to the last. Decodes rows of MCUs as needed, and keeps two of them. */

import { numberAt, reserve, setNumber } from '../../assembly/memory';
import { forgetStatus, readCoefficients } from './coefficients';
import { storeCmykOfYcck, storeQuadruples, storeRgb, storeRgbOfYcc } from './colour';
import { doubleAcross, doubleBoth, doubleDown, repeatAcross } from './enlarge';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import {
  Component,
  colourModel,
  component,
  countInScan,
  countOfComponents,
  GREY,
  highestSampling,
  imageHeight,
  imageWidth,
  isProgressive,
  MAX_COMPONENTS,
  mcusAcross,
  OK,
  OUT_OF_MEMORY,
  RGB,
  scanComponent,
  widestSampling,
  YCBCR,
  YCCK,
} from './frame';
import { prepareSkips } from './huffman';
import { beginMcu, decodeBlock, endMcu, startDecoding, startScan } from './scan';
import { ZIGZAG_ORDER } from './tables';
import { block, fillBlock, transformBlock, transformCorner } from './transform';
import {
  MATRIX_BYTES,
  transformLowest,
  transformLowestTwo,
  transformScaled,
  transformToFour,
  transformToTwo,
} from './transform-scaled';

/**
 * Bytes before the first and after the last sample of a line: filters read them, blocks and vectors are written there.
 */
const MARGIN: i32 = 32;
/** The last place in zigzag order. */
const LAST_PLACE: i32 = 63;

let scale: i32 = 8;
let isForResizing: bool = false;
let outputWidth: i32 = 0;
let outputHeight: i32 = 0;
/** The requested columns. */
let left: i32 = 0;
let shownWidth: i32 = 0;
/** Whether all data is read before the first row, because it is in several scans. */
let isKept: bool = false;
let decodedGroups: i32 = 0;
let nextRow: i32 = 0;
/** The requested MCUs of a row, and the first requested row of MCUs. */
let fromMcu: i32 = 0;
let toMcu: i32 = 0;
let fromGroup: i32 = 0;
/** Lines of the width of the image, one per component. */
const lines: usize = memory.data(MAX_COMPONENTS * 4, 4);

/**
 * Starts decoding rows.
 * @param eighths of the size, 1 to 8: decoded with fewer coefficients (T.81 does not define this; libjpeg calls it
 * "scaled decoding")
 * @param matrices one matrix after the other for block sides from 1 to 16: below 8 in the form of `transformLowest`,
 * above 8 in that of `transformScaled`
 * @param maxScans data after this many scans is not read
 * @param reach lines of the image that are kept besides those of two rows of MCUs
 * @param forResizing lines are resized afterwards: components need no whole-number ratio, and blocks use only their
 * lowest coefficients
 */
export function startRows(eighths: i32, matrices: usize, maxScans: i32, reach: i32, forResizing: bool): i32 {
  scale = eighths;
  isForResizing = forResizing;
  outputWidth = (imageWidth() * scale + 7) / 8;
  outputHeight = (imageHeight() * scale + 7) / 8;
  decodedGroups = 0;
  wantRegion(0, 0, outputWidth);
  startDecoding();
  for (let index = 0; index < countOfComponents(); index++) {
    if (!prepare(component(index), matrices, reach)) return OUT_OF_MEMORY;
    const line = reserve(<usize>(outputWidth + 2 * MARGIN));
    if (line === 0) return OUT_OF_MEMORY;
    setNumber(lines, index, <i32>line);
  }
  isKept = isProgressive() || countInScan() < countOfComponents();
  if (isKept) return readCoefficients(maxScans);
  forgetStatus();
  startScan();
  let prepared: usize = 0;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    // Chroma components usually share a table.
    if (own.lastPlace === LAST_PLACE || own.acTable === prepared) continue;
    prepared = own.acTable;
    prepareSkips(prepared);
  }
  return OK;
}

function prepare(own: Component, matrices: usize, reach: i32): bool {
  const side = isForResizing ? sideForResizing(own) : sideForRows(own);
  own.side = side;
  own.lastPlace = isForResizing && side < 8 ? <i32>load<u8>(ZIGZAG_ORDER + <usize>((side - 1) * 9)) : LAST_PLACE;
  own.matrix = side === 8 ? 0 : matrices + <usize>(side - 1) * MATRIX_BYTES;
  own.width = (imageWidth() * own.across * side + widestSampling() * 8 - 1) / (widestSampling() * 8);
  own.height = (imageHeight() * own.down * side + highestSampling() * 8 - 1) / (highestSampling() * 8);
  own.pitch = own.pitchBlocks * side + 2 * MARGIN;
  const group = own.down * side;
  own.lines = (2 + (reach + highestSampling() * scale - 1) / (highestSampling() * scale)) * group;
  const plane = reserve(<usize>own.pitch * own.lines);
  own.plane = plane + MARGIN;
  return plane !== 0;
}

/** Components with fewer samples are reduced less, so that they need less upsampling (libjpeg, jdmaster.c). */
function sideForRows(own: Component): i32 {
  let side = scale;
  const across = widestSampling() * scale;
  const down = highestSampling() * scale;
  while (side < 8 && across % (own.across * side * 2) === 0 && down % (own.down * side * 2) === 0) side *= 2;
  return side;
}

/** Like `sideForRows`, but a sample need not cover a whole number of pixels. */
function sideForResizing(own: Component): i32 {
  return min(8, scale * min(widestSampling() / own.across, highestSampling() / own.down));
}

/** Size of the image at the scale of `startRows`. */
export function rowWidth(): i32 {
  return shownWidth;
}
export function rowCount(): i32 {
  return outputHeight;
}
/**
 * Limits decoding to the rows and columns that are needed. Call it before the first row is read.
 * @param top the first row that is read
 */
export function wantRegion(fromColumn: i32, top: i32, columns: i32): void {
  left = fromColumn;
  shownWidth = columns;
  const across = widestSampling() * scale;
  // One more MCU on each side, for the filters.
  fromMcu = max(left / across - 1, 0);
  toMcu = min((left + shownWidth + across - 1) / across + 1, mcusAcross());
  fromGroup = max(top / (highestSampling() * scale) - 1, 0);
  nextRow = top;
}

/**
 * Writes the next rows.
 * @param pitch bytes from one row to the next; up to 64 bytes are written after the last row
 */
export function readRows(out: usize, pitch: i32, count: i32): void {
  for (let row = 0; row < count && nextRow < outputHeight; row++) {
    readRow(out);
    nextRow += 1;
    out += pitch;
  }
}

/** Decodes rows of MCUs up to this one. Two of them are kept. */
export function decodeGroupsTo(group: i32): void {
  while (decodedGroups <= group) {
    if (isKept) transformKept(decodedGroups);
    else decodeGroup(decodedGroups);
    decodedGroups += 1;
  }
}

function readRow(out: usize): void {
  let group = 0;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    group = max(group, lastLineOf(own) / (own.down * own.side));
  }
  decodeGroupsTo(group);
  const model = colourModel();
  const first = lineOf(component(0), 0);
  if (model === GREY) {
    memory.copy(out, first, shownWidth);
    return;
  }
  const second = lineOf(component(1), 1);
  const third = lineOf(component(2), 2);
  if (model === YCBCR) storeRgbOfYcc(out, first, second, third, shownWidth);
  else if (model === RGB) storeRgb(out, first, second, third, shownWidth);
  else {
    const fourth = lineOf(component(3), 3);
    if (model === YCCK) storeCmykOfYcck(out, first, second, third, fourth, shownWidth);
    else storeQuadruples(out, first, second, third, fourth, shownWidth);
  }
}

// Number of lines and samples of the image per line and sample of a component.
function timesDown(own: Component): i32 {
  return (highestSampling() * scale) / (own.down * own.side);
}
function timesAcross(own: Component): i32 {
  return (widestSampling() * scale) / (own.across * own.side);
}
/**
 * Whether the triangle filter applies vertically. It is used only for blocks of more than one sample (libjpeg,
 * jdsample.c).
 */
function isFilteredDown(own: Component): bool {
  if (scale === 1 || timesDown(own) !== 2) return false;
  const across = timesAcross(own);
  return across === 1 || (across === 2 && own.width > 2);
}

/** The component lines for the next row: its own line, and the neighbour that the filter uses. */
function nearLine(own: Component): i32 {
  return nextRow / timesDown(own);
}
function farLine(own: Component): i32 {
  const near = nextRow >> 1;
  return min(max((nextRow & 1) !== 0 ? near + 1 : near - 1, 0), own.height - 1);
}

function lastLineOf(own: Component): i32 {
  return isFilteredDown(own) ? max(nextRow >> 1, farLine(own)) : nearLine(own);
}

export function lineAt(own: Component, line: i32): usize {
  return own.plane + <usize>(line % own.lines) * own.pitch;
}

/** Returns the samples of a component for the next row, from the first requested column. */
function lineOf(own: Component, index: i32): usize {
  return wholeLineOf(own, index) + left;
}

function wholeLineOf(own: Component, index: i32): usize {
  const line = lineAt(own, nearLine(own));
  const across = timesAcross(own);
  const out = <usize>numberAt(lines, index);
  if (isFilteredDown(own)) {
    const far = lineAt(own, farLine(own));
    if (across === 2) doubleBoth(out, line, far, own.width);
    else doubleDown(out, line, far, own.width, (nextRow & 1) === 0);
    return out;
  }
  if (across === 1) return line;
  if (across === 2 && scale > 1 && own.width > 2 && timesDown(own) === 1) doubleAcross(out, line, own.width);
  else repeatAcross(out, line, outputWidth, across);
  return out;
}

/** Decodes a row of MCUs of a file with all components in one scan. */
function decodeGroup(group: i32): void {
  const isWanted = group >= fromGroup;
  const count = countInScan();
  const across = mcusAcross();
  for (let mcu = 0; mcu < across; mcu++) {
    const hasData = beginMcu();
    const isShown = isWanted && mcu >= fromMcu && mcu < toMcu;
    for (let index = 0; index < count; index++) {
      const own = scanComponent(index);
      const side = own.side;
      const quantization = own.quantization;
      const last = own.lastPlace;
      for (let down = 0; down < own.down; down++) {
        let out = blockAt(own, group, down, mcu * own.across);
        for (let column = 0; column < own.across; column++) {
          const seen = hasData ? decodeBlock(block, own, quantization, last) : 0;
          if (isShown) place(own, out, seen);
          clearBlock(seen);
          out += side;
        }
      }
    }
    if (hasData) endMcu();
  }
  if (isWanted) addMargins(group);
}

function transformKept(group: i32): void {
  if (group < fromGroup) return;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    for (let down = 0; down < own.down; down++) {
      const row = group * own.down + down;
      const end = min(toMcu * own.across, own.blocksAcross);
      for (let column = fromMcu * own.across; column < end; column++) {
        const from = own.coefficients + ((<usize>row * own.pitchBlocks + column) << 7);
        place(own, blockAt(own, group, down, column), quantize(from, own.quantization));
      }
    }
  }
  clearBlock(32);
  addMargins(group);
}

function blockAt(own: Component, group: i32, down: i32, column: i32): usize {
  const side = own.side;
  return lineAt(own, (group * own.down + down) * side) + <usize>(column * side);
}

/**
 * Multiplies coefficients by their quantization, into `block`.
 * @returns the same as `decodeBlock`
 */
function quantize(from: usize, quantization: usize): i32 {
  let upper = i16x8.splat(0);
  let lower = i16x8.splat(0);
  // All but the DC coefficient.
  let mask = i16x8.replace_lane(i16x8.splat(-1), 0, 0);
  let others = i16x8.splat(0);
  for (let at: usize = 0; at < 128; at += 16) {
    const line = i16x8.mul(v128.load(from + at), v128.load(quantization + at));
    v128.store(block + at, line);
    if (at < 64) upper = v128.or(upper, line);
    else lower = v128.or(lower, line);
    others = v128.or(others, v128.and(line, mask));
    mask = i16x8.splat(-1);
  }
  if (!v128.any_true(others)) return 0;
  const isWide = i64x2.extract_lane(v128.or(upper, lower), 1) !== 0;
  return 1 | (v128.any_true(lower) ? 32 : 0) | (isWide ? 4 : 0);
}

function place(own: Component, out: usize, seen: i32): void {
  const pitch = <usize>own.pitch;
  const side = own.side;
  if (seen === 0 || side === 1) fillBlock(out, pitch, side);
  else if (side === 4 && !isForResizing) transformToFour(out, pitch);
  else if (side === 2) {
    if (isForResizing) transformLowestTwo(out, pitch);
    else transformToTwo(out, pitch);
  } else if (side < 8) transformLowest(out, pitch, side, isCorner(seen), own.matrix);
  else if (side > 8) transformScaled(out, pitch, side, own.matrix);
  else if (isCorner(seen)) transformCorner(out, pitch);
  else transformBlock(out, pitch);
}

/** Whether rows and columns from the fifth on are zero. */
function isCorner(seen: i32): bool {
  return (seen & 0b100100) === 0;
}

function clearBlock(seen: i32): void {
  const zero = i16x8.splat(0);
  v128.store(block, zero);
  if (seen === 0) return;
  v128.store(block, zero, 16);
  v128.store(block, zero, 32);
  v128.store(block, zero, 48);
  if ((seen & 32) === 0) return;
  v128.store(block, zero, 64);
  v128.store(block, zero, 80);
  v128.store(block, zero, 96);
  v128.store(block, zero, 112);
}

/** Repeats the first and last sample of each line in its margins, for the filters. */
function addMargins(group: i32): void {
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    if (timesAcross(own) === 1) continue;
    const height = own.down * own.side;
    for (let line = 0; line < height; line++) {
      const start = lineAt(own, group * height + line);
      store<u8>(start - 1, load<u8>(start));
      store<u8>(start + own.width, load<u8>(start + own.width - 1));
    }
  }
}
