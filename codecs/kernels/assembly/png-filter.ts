/** Filters PNG rows (third edition, section 9), and chooses the filter of each row. */

import { sumOfLanes } from './lanes';
import { AVERAGE, NONE, PAETH, SUB, UP } from './png-filter-types';

const MIN_BIGRAMS: i32 = -2;

const SEEN_BYTES: usize = 8192;
/** One bit for each pair of bytes. */
const seenBigrams: usize = memory.data(8192);

/**
 * Filters rows.
 * @param to receives the filter type and the filtered bytes of each row, one row after the other
 * @param rows the rows, one after the other; 16 bytes after them must be readable
 * @param rowBytes bytes per row
 * @param pixelBytes distance to the same byte of the next pixel, at least 1
 * @param before the row above the first one, or 0
 * @param filter the type of all rows, 0 to 4, or the heuristic that chooses the type of each row: -1 for the minimum
 * sum of absolute differences (section 12.7), -2 for the fewest different bigrams (pairs of neighbouring bytes), as in
 * oxipng
 * @param scratch five times `rowBytes` and 16
 */
export function filterRows(
  to: usize,
  rows: usize,
  count: i32,
  rowBytes: i32,
  pixelBytes: i32,
  before: usize,
  filter: i32,
  scratch: usize,
): void {
  let above = before;
  for (let row = rows; count > 0; count--, row += rowBytes) {
    if (filter < 0) chooseFilter(to, row, above, rowBytes, pixelBytes, filter === MIN_BIGRAMS, scratch);
    else {
      store<u8>(to, <u8>filter);
      filterRow(to + 1, row, above, rowBytes, pixelBytes, filter);
    }
    to += rowBytes + 1;
    above = row;
  }
}

function filterRow(to: usize, row: usize, above: usize, bytes: i32, pixel: i32, filter: i32): void {
  if (filter === NONE) {
    memory.copy(to, row, bytes);
    return;
  }
  const zero = i8x16.splat(0);
  let at = 0;
  for (; at < pixel && at < bytes; at++) store<u8>(to + at, filteredByte(row, above, at, pixel, filter));
  for (; at + 16 <= bytes; at += 16) {
    const value = v128.load(row + at);
    const left = v128.load(row + at - pixel);
    const up = above === 0 ? zero : v128.load(above + at);
    const corner = above === 0 ? zero : v128.load(above + at - pixel);
    const guess =
      filter === SUB ? left : filter === UP ? up : filter === AVERAGE ? mean(left, up) : paeth(left, up, corner);
    v128.store(to + at, i8x16.sub(value, guess));
  }
  for (; at < bytes; at++) store<u8>(to + at, filteredByte(row, above, at, pixel, filter));
}

function filteredByte(row: usize, above: usize, at: i32, pixel: i32, filter: i32): u8 {
  const left = at < pixel ? 0 : <i32>load<u8>(row + at - pixel);
  const up = above === 0 ? 0 : <i32>load<u8>(above + at);
  const corner = above === 0 || at < pixel ? 0 : <i32>load<u8>(above + at - pixel);
  let guess = 0;
  if (filter === SUB) guess = left;
  else if (filter === UP) guess = up;
  else if (filter === AVERAGE) guess = (left + up) >> 1;
  else if (filter === PAETH) guess = nearest(left, up, corner);
  return <u8>(<i32>load<u8>(row + at) - guess);
}

/** Returns the one of the three that is nearest to left + up - corner (section 9.4). */
function nearest(left: i32, up: i32, corner: i32): i32 {
  const fromLeft = abs(up - corner);
  const fromUp = abs(left - corner);
  const fromCorner = abs(left + up - 2 * corner);
  return fromLeft <= fromUp && fromLeft <= fromCorner ? left : fromUp <= fromCorner ? up : corner;
}

/** Returns the mean, rounded down. */
function mean(one: v128, other: v128): v128 {
  const odd = v128.and(v128.xor(one, other), i8x16.splat(1));
  return i8x16.sub(i8x16.avgr_u(one, other), odd);
}

function paeth(left: v128, up: v128, corner: v128): v128 {
  const fromLeft = difference(up, corner);
  const fromUp = difference(left, corner);
  // If both distances are on the same side, their sum, saturated at 255, which is large enough; otherwise their
  // difference.
  const sameSide = i8x16.eq(i8x16.le_u(up, corner), i8x16.le_u(left, corner));
  const fromCorner = v128.bitselect(i8x16.add_sat_u(fromLeft, fromUp), difference(fromLeft, fromUp), sameSide);
  const isLeft = v128.and(i8x16.le_u(fromLeft, fromUp), i8x16.le_u(fromLeft, fromCorner));
  const isUp = i8x16.le_u(fromUp, fromCorner);
  return v128.bitselect(left, v128.bitselect(up, corner, isUp), isLeft);
}

/** Returns the absolute differences of unsigned bytes. */
function difference(one: v128, other: v128): v128 {
  return v128.or(i8x16.sub_sat_u(one, other), i8x16.sub_sat_u(other, one));
}

function chooseFilter(
  to: usize,
  row: usize,
  above: usize,
  bytes: i32,
  pixel: i32,
  countsBigrams: bool,
  scratch: usize,
): void {
  const pitch = <usize>bytes + 16;
  const sub = scratch + pitch;
  const up = sub + pitch;
  const average = up + pitch;
  const nearestRow = average + pitch;
  const zero = i8x16.splat(0);
  let none: v128 = zero;
  let subs: v128 = zero;
  let ups: v128 = zero;
  let averages: v128 = zero;
  let paeths: v128 = zero;
  let at = 0;
  for (; at < pixel && at < bytes; at++) filterByte(row, above, at, pixel, scratch, pitch);
  for (; at + 16 <= bytes; at += 16) {
    const value = v128.load(row + at);
    const left = v128.load(row + at - pixel);
    const upper = above === 0 ? zero : v128.load(above + at);
    const corner = above === 0 ? zero : v128.load(above + at - pixel);
    const one = i8x16.sub(value, left);
    const two = i8x16.sub(value, upper);
    const three = i8x16.sub(value, mean(left, upper));
    const four = i8x16.sub(value, paeth(left, upper, corner));
    v128.store(sub + at, one);
    v128.store(up + at, two);
    v128.store(average + at, three);
    v128.store(nearestRow + at, four);
    none = i32x4.add(none, amounts(value));
    subs = i32x4.add(subs, amounts(one));
    ups = i32x4.add(ups, amounts(two));
    averages = i32x4.add(averages, amounts(three));
    paeths = i32x4.add(paeths, amounts(four));
  }
  for (; at < bytes; at++) filterByte(row, above, at, pixel, scratch, pitch);
  let filter = NONE;
  let least = countsBigrams ? bigramsOf(row, bytes) : sumOfLanes(none) + edgeAmounts(row, bytes, pixel);
  const sums = memory.data(16, 4);
  store<u32>(sums, sumOfLanes(subs));
  store<u32>(sums, sumOfLanes(ups), 4);
  store<u32>(sums, sumOfLanes(averages), 8);
  store<u32>(sums, sumOfLanes(paeths), 12);
  for (let other = SUB; other <= PAETH; other++) {
    const filtered = scratch + pitch * other;
    const sum = countsBigrams
      ? bigramsOf(filtered, bytes)
      : load<u32>(sums + ((other - 1) << 2)) + edgeAmounts(filtered, bytes, pixel);
    if (sum < least) {
      least = sum;
      filter = other;
    }
  }
  store<u8>(to, <u8>filter);
  memory.copy(to + 1, filter === NONE ? row : scratch + pitch * filter, bytes);
}

function filterByte(row: usize, above: usize, at: i32, pixel: i32, scratch: usize, pitch: usize): void {
  for (let filter = SUB; filter <= PAETH; filter++)
    store<u8>(scratch + pitch * filter + at, filteredByte(row, above, at, pixel, filter));
}

/** Counts the different pairs of neighbouring bytes in a row. */
function bigramsOf(bytes: usize, count: i32): u32 {
  memory.fill(seenBigrams, 0, SEEN_BYTES);
  let pairs: u32 = 0;
  for (const end = bytes + count - 1; bytes < end; bytes++) {
    const pair = <usize>load<u16>(bytes);
    const at = seenBigrams + (pair >> 3);
    const seen = <u32>load<u8>(at);
    const place = <u32>pair & 7;
    const bit: u32 = 1 << place;
    pairs += u32((seen & bit) === 0);
    store<u8>(at, <u8>(seen | bit));
  }
  return pairs;
}

/** Adds the absolute values of sixteen signed bytes, as four partial sums. */
function amounts(bytes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.abs(bytes)));
}

/** Adds the absolute values of the bytes that no vector covers: the first pixel, and the end of the row. */
function edgeAmounts(bytes: usize, count: i32, pixel: i32): u32 {
  let sum: u32 = 0;
  const first = min(pixel, count);
  for (let at = 0; at < first; at++) sum += abs(<i32>load<i8>(bytes + at));
  for (let at = first + ((count - first) & ~15); at < count; at++) sum += abs(<i32>load<i8>(bytes + at));
  return sum;
}
