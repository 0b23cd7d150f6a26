/**
 * The loops of the PNG decoder. Section numbers are those of PNG, third edition. Rows are stored one after the other.
 * Loops may read or write up to 15 bytes past the last one; callers must leave space for them.
 */

import { AVERAGE, NONE, PAETH, SUB, UP } from './png-filter-types';

/**
 * Reverses the filters of rows.
 * @param rows output; the row above the first one is stored before it
 * @param filtered rows, each after the byte of its filter type
 * @param rowBytes bytes per row without that byte
 * @param pixelBytes distance to the same sample of the next pixel: 1, 2, 3, 4, 6 or 8
 * @returns false if a filter type does not exist
 */
export function unfilterRows(rows: usize, filtered: usize, count: i32, rowBytes: i32, pixelBytes: i32): bool {
  for (let index = 0; index < count; index += 1) {
    const type: i32 = load<u8>(filtered);
    const from = filtered + 1;
    const above = rows - rowBytes;
    if (type === NONE) memory.copy(rows, from, rowBytes);
    else if (type === SUB) unfilterSub(rows, from, rowBytes, pixelBytes);
    else if (type === UP) unfilterUp(rows, from, above, rowBytes);
    else if (type === AVERAGE) unfilterAverage(rows, from, above, rowBytes, pixelBytes);
    else if (type === PAETH) unfilterPaeth(rows, from, above, rowBytes, pixelBytes);
    else return false;
    rows += rowBytes;
    filtered = from + rowBytes;
  }
  return true;
}

const LANES: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
const LANES_OF_3: v128 = i8x16(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0);
const LANES_OF_6: v128 = i8x16(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3);

/**
 * Processes as many whole pixels at a time as a vector holds: computes their sums by doubling, and adds the previous
 * pixel to all of them.
 */
function unfilterSub(row: usize, filtered: usize, rowBytes: i32, pixelBytes: i32): void {
  const step = 16 - (16 % pixelBytes);
  const one = places(pixelBytes);
  const two = places(2 * pixelBytes);
  const four = places(4 * pixelBytes);
  const eight = places(8 * pixelBytes);
  let withinPixel = v128.and(LANES, i8x16.splat(i8(pixelBytes - 1)));
  if (pixelBytes === 3) withinPixel = LANES_OF_3;
  else if (pixelBytes === 6) withinPixel = LANES_OF_6;
  const last = i8x16.add(withinPixel, i8x16.splat(i8(step - pixelBytes)));
  let before = i8x16.splat(0);
  for (let x = 0; x < rowBytes; x += step) {
    let sums = v128.load(filtered + x);
    sums = i8x16.add(sums, i8x16.swizzle(sums, one));
    if (pixelBytes < 8) sums = i8x16.add(sums, i8x16.swizzle(sums, two));
    if (pixelBytes < 4) sums = i8x16.add(sums, i8x16.swizzle(sums, four));
    if (pixelBytes < 2) sums = i8x16.add(sums, i8x16.swizzle(sums, eight));
    sums = i8x16.add(sums, before);
    v128.store(row + x, sums);
    before = i8x16.swizzle(sums, last);
  }
}

/** Returns the lanes that shift a vector up by `count`, with zeros below. */
function places(count: i32): v128 {
  return i8x16.sub(LANES, i8x16.splat(i8(count)));
}

function unfilterUp(row: usize, filtered: usize, above: usize, rowBytes: i32): void {
  for (let x = 0; x < rowBytes; x += 16) v128.store(row + x, i8x16.add(v128.load(filtered + x), v128.load(above + x)));
}

/** Works on complements: the instruction's mean is rounded up, and the complement of that is the mean rounded down. */
function unfilterAverage(row: usize, filtered: usize, above: usize, rowBytes: i32, pixelBytes: i32): void {
  let left = i8x16.splat(-1);
  for (let x = 0; x < rowBytes; x += pixelBytes) {
    const up = v128.not(v128.load64_zero(above + x));
    left = i8x16.sub(i8x16.avgr_u(left, up), v128.load64_zero(filtered + x));
    v128.store64_lane(row + x, v128.not(left), 0);
  }
}

/** Predicts each sample by the neighbour that is nearest to left + up - corner (section 9.4). */
function unfilterPaeth(row: usize, filtered: usize, above: usize, rowBytes: i32, pixelBytes: i32): void {
  let left = i16x8.splat(0);
  let corner = i16x8.splat(0);
  for (let x = 0; x < rowBytes; x += pixelBytes) {
    const up = v128.load8x8_u(above + x);
    const fromLeft = i16x8.sub(up, corner);
    const fromUp = i16x8.sub(left, corner);
    const leftDistance = i16x8.abs(fromLeft);
    const upDistance = i16x8.abs(fromUp);
    const cornerDistance = i16x8.abs(i16x8.add(fromLeft, fromUp));
    const other = v128.bitselect(corner, up, i16x8.gt_s(upDistance, cornerDistance));
    const isOther = i16x8.gt_s(leftDistance, i16x8.min_s(upDistance, cornerDistance));
    // The upper half of each word stays 0.
    left = i8x16.add(v128.bitselect(other, left, isOther), v128.load8x8_u(filtered + x));
    v128.store64_lane(row + x, i8x16.narrow_i16x8_u(left, left), 0);
    corner = up;
  }
}

/**
 * Unpacks samples of 1, 2 or 4 bits to bytes.
 * @param count of the packed bytes
 * @param table the samples of each value of a packed byte
 * @param perByte samples in a packed byte: 8, 4 or 2
 */
export function unpackSamples(samples: usize, packed: usize, count: i32, table: usize, perByte: i32): void {
  if (perByte === 8) {
    for (let at = 0; at < count; at += 1)
      store<u64>(samples + (at << 3), load<u64>(table + (usize(load<u8>(packed + at)) << 3)));
  } else if (perByte === 4) {
    for (let at = 0; at < count; at += 1)
      store<u32>(samples + (at << 2), load<u32>(table + (usize(load<u8>(packed + at)) << 2)));
  } else {
    for (let at = 0; at < count; at += 1)
      store<u16>(samples + (at << 1), load<u16>(table + (usize(load<u8>(packed + at)) << 1)));
  }
}

/**
 * Replaces one-byte indices by colours.
 * @param palette 256 colours of four bytes
 * @param bands 3 or 4
 * @returns the largest index
 */
export function applyPalette(pixels: usize, indices: usize, count: i32, palette: usize, bands: i32): i32 {
  let largest = 0;
  for (let at = 0; at < count; at += 1) {
    const index: i32 = load<u8>(indices + at);
    largest = max(largest, index);
    store<u32>(pixels, load<u32>(palette + (index << 2)));
    pixels += bands;
  }
  return largest;
}

/**
 * Adds alpha to pixels: transparent where they equal one colour, opaque elsewhere.
 * @param pixelBytes of a pixel without alpha
 * @param alphaBytes 1 or 2
 * @param key the colour, as stored in a row
 */
export function addKeyAlpha(
  pixels: usize,
  from: usize,
  count: i32,
  pixelBytes: i32,
  alphaBytes: i32,
  key: usize,
): void {
  const bits: u64 = pixelBytes * 8;
  const mask: u64 = (1 << bits) - 1;
  const opaque: u64 = alphaBytes === 1 ? 0xff : 0xffff;
  const alpha: u64 = opaque << bits;
  const transparent = load<u64>(key) & mask;
  for (let at = 0; at < count; at += 1) {
    const colour = load<u64>(from) & mask;
    store<u64>(pixels, colour === transparent ? colour : colour | alpha);
    from += pixelBytes;
    pixels += pixelBytes + alphaBytes;
  }
}

/** Converts 16-bit samples from PNG's byte order to WebAssembly's, in place. */
export function swapBytes(samples: usize, bytes: i32): void {
  for (let at = 0; at < bytes; at += 16) {
    const words = v128.load(samples + at);
    v128.store(samples + at, i8x16.shuffle(words, words, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  }
}

/**
 * Copies the pixels of a pass of an interlaced image (section 8.2) to their places in a row.
 * @param pixelBytes 1, 2, 3, 4, 6 or 8
 * @param left the column of the first pixel
 * @param across columns from one pixel to the next
 */
export function placePixels(row: usize, from: usize, count: i32, pixelBytes: i32, left: i32, across: i32): void {
  let to = row + left * pixelBytes;
  const step = across * pixelBytes;
  for (let at = 0; at < count; at += 1) {
    if (pixelBytes === 1) store<u8>(to, load<u8>(from));
    else if (pixelBytes === 2) store<u16>(to, load<u16>(from));
    else if (pixelBytes === 3) {
      store<u16>(to, load<u16>(from));
      store<u8>(to, load<u8>(from, 2), 2);
    } else if (pixelBytes === 6) {
      store<u32>(to, load<u32>(from));
      store<u16>(to, load<u16>(from, 4), 4);
    } else if (pixelBytes === 4) store<u32>(to, load<u32>(from));
    else store<u64>(to, load<u64>(from));
    from += pixelBytes;
    to += step;
  }
}
