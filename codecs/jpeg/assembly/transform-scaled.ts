/**
 * Transforms coefficients to blocks of sizes other than 8 x 8: like libjpeg for 4 and 2 samples, with matrix products
 * for others.
 */

import { highDoubles, highHalves, highPairs, lowDoubles, lowHalves, lowPairs } from '../../assembly/vectors';
import { block, CONSTANT_BITS, factors, narrowed, PASS_BITS, words } from './transform';

/** Result of the first dimension, 32 bits each. */
const floats: usize = memory.data(8 * 8 * 4, 16);

/** Writes the samples of `block` as 4 rows of 4 bytes (libjpeg, jidctred.c: the fifth row and column are omitted). */
export function transformToFour(out: usize, pitch: usize): void {
  const first = v128.load(block);
  const outer = v128.load(block, 112);
  const inner = v128.load(block, 80);
  const third = v128.load(block, 48);
  const one = v128.load(block, 16);
  const two = v128.load(block, 32);
  const six = v128.load(block, 96);
  const shift = CONSTANT_BITS - PASS_BITS + 1;
  fourRows(
    i32x4.shl(i32x4.extend_low_i16x8_s(first), CONSTANT_BITS + 1),
    lowPairs(two, six),
    lowPairs(outer, inner),
    lowPairs(third, one),
    shift,
    floats,
  );
  fourRows(
    i32x4.shl(i32x4.extend_high_i16x8_s(first), CONSTANT_BITS + 1),
    highPairs(two, six),
    highPairs(outer, inner),
    highPairs(third, one),
    shift,
    floats + 64,
  );
  // Four rows of eight words.
  const r0 = i16x8.narrow_i32x4_s(v128.load(floats), v128.load(floats, 64));
  const r1 = i16x8.narrow_i32x4_s(v128.load(floats, 16), v128.load(floats, 80));
  const r2 = i16x8.narrow_i32x4_s(v128.load(floats, 32), v128.load(floats, 96));
  const r3 = i16x8.narrow_i32x4_s(v128.load(floats, 48), v128.load(floats, 112));
  // Columns 0 and 1, 2 and 3, and so on, of two rows, then of all four.
  const upper = lowDoubles(r0, r1);
  const upperRight = highDoubles(r0, r1);
  const lower = lowDoubles(r2, r3);
  const lowerRight = highDoubles(r2, r3);
  const zeroOne = lowHalves(upper, lower);
  const twoThree = highHalves(upper, lower);
  const fourFive = lowHalves(upperRight, lowerRight);
  const sixSeven = highHalves(upperRight, lowerRight);
  fourRows(
    i32x4.shl(i32x4.shr_s(i32x4.shl(zeroOne, 16), 16), CONSTANT_BITS + 1),
    // Words of one column and of another interleaved.
    i8x16.shuffle(twoThree, sixSeven, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
    i8x16.shuffle(sixSeven, fourFive, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31),
    i8x16.shuffle(twoThree, zeroOne, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31),
    CONSTANT_BITS + PASS_BITS + 4,
    floats,
  );
  const left = i16x8.narrow_i32x4_s(v128.load(floats), v128.load(floats, 16));
  const right = i16x8.narrow_i32x4_s(v128.load(floats, 32), v128.load(floats, 48));
  const columns = i8x16.narrow_i16x8_s(left, right);
  const rows = v128.xor(
    i8x16.shuffle(columns, columns, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
    i8x16.splat(-128),
  );
  store<i32>(out, i32x4.extract_lane(rows, 0));
  store<i32>(out + pitch, i32x4.extract_lane(rows, 1));
  store<i32>(out + 2 * pitch, i32x4.extract_lane(rows, 2));
  store<i32>(out + 3 * pitch, i32x4.extract_lane(rows, 3));
}

/** Transforms one dimension: writes four 32-bit sums for each of four columns to `out`. */
function fourRows(first: v128, twoSix: v128, sevenFive: v128, threeOne: v128, shift: i32, out: usize): void {
  const even = i32x4.dot_i16x8_s(twoSix, factors(15137, -6270));
  const base = i32x4.add(first, i32x4.splat(1 << (shift - 1)));
  const sum = i32x4.add(base, even);
  const difference = i32x4.sub(base, even);
  const wide = i32x4.add(
    i32x4.dot_i16x8_s(sevenFive, factors(-4176, -4926)),
    i32x4.dot_i16x8_s(threeOne, factors(7373, 20995)),
  );
  const narrow = i32x4.add(
    i32x4.dot_i16x8_s(sevenFive, factors(-1730, 11893)),
    i32x4.dot_i16x8_s(threeOne, factors(-17799, 8697)),
  );
  v128.store(out, i32x4.shr_s(i32x4.add(sum, wide), shift));
  v128.store(out, i32x4.shr_s(i32x4.add(difference, narrow), shift), 16);
  v128.store(out, i32x4.shr_s(i32x4.sub(difference, narrow), shift), 32);
  v128.store(out, i32x4.shr_s(i32x4.sub(sum, wide), shift), 48);
}

/**
 * Writes the samples of `block` as 2 rows of 2 bytes (libjpeg, jidctred.c: of the even rows and columns only the first
 * is used).
 */
export function transformToTwo(out: usize, pitch: usize): void {
  const first = v128.load(block);
  const sevenFive = factors(-5906, 6967);
  const threeOne = factors(-10426, 29692);
  const outer = v128.load(block, 112);
  const inner = v128.load(block, 80);
  const third = v128.load(block, 48);
  const one = v128.load(block, 16);
  const shift = CONSTANT_BITS - PASS_BITS + 2;
  const round = i32x4.splat(1 << (shift - 1));
  const lowEven = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(first), CONSTANT_BITS + 2), round);
  const highEven = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(first), CONSTANT_BITS + 2), round);
  const lowOdd = i32x4.add(
    i32x4.dot_i16x8_s(lowPairs(outer, inner), sevenFive),
    i32x4.dot_i16x8_s(lowPairs(third, one), threeOne),
  );
  const highOdd = i32x4.add(
    i32x4.dot_i16x8_s(highPairs(outer, inner), sevenFive),
    i32x4.dot_i16x8_s(highPairs(third, one), threeOne),
  );
  storePair(out, narrowed(i32x4.add(lowEven, lowOdd), i32x4.add(highEven, highOdd), shift));
  storePair(out + pitch, narrowed(i32x4.sub(lowEven, lowOdd), i32x4.sub(highEven, highOdd), shift));
}

/** Stores the two samples of a row of eight words. */
function storePair(out: usize, row: v128): void {
  const shift = CONSTANT_BITS + PASS_BITS + 5;
  const even = (i32(i16x8.extract_lane_s(row, 0)) << (CONSTANT_BITS + 2)) + (1 << (shift - 1));
  const odd =
    i32(i16x8.extract_lane_s(row, 7)) * -5906 +
    i32(i16x8.extract_lane_s(row, 5)) * 6967 +
    i32(i16x8.extract_lane_s(row, 3)) * -10426 +
    i32(i16x8.extract_lane_s(row, 1)) * 29692;
  store<u8>(out, <u8>min(max(((even + odd) >> shift) + 128, 0), 255));
  store<u8>(out, <u8>min(max(((even - odd) >> shift) + 128, 0), 255), 1);
}

/** Writes the samples of the lowest 2 x 2 coefficients of `block` as 2 rows of 2 bytes. All factors are 1 or -1. */
export function transformLowestTwo(out: usize, pitch: usize): void {
  const mean = i32(load<i16>(block)) + 4 + (128 << 3);
  const across = i32(load<i16>(block, 2));
  const down = i32(load<i16>(block, 16));
  const both = i32(load<i16>(block, 18));
  const upper = mean + down;
  const lower = mean - down;
  store<u8>(out, sampleOf(upper + (across + both)));
  store<u8>(out, sampleOf(upper - (across + both)), 1);
  store<u8>(out + pitch, sampleOf(lower + (across - both)));
  store<u8>(out + pitch, sampleOf(lower - (across - both)), 1);
}

/** @param sum eight times the sample */
function sampleOf(sum: i32): u8 {
  return <u8>min(max(sum >> 3, 0), 255);
}

/**
 * Writes the samples of the lowest `side` x `side` coefficients of `block`, as `side` rows of `side` bytes. 8 bytes per
 * row are stored.
 * @param side 3 to 7
 * @param isCorner only the first 4 x 4 coefficients are not zero
 * @param matrix pairs of coefficient weights times 2^13, 16 bits each: by pair of coefficients, then by sample (8 of
 * them)
 */
export function transformLowest(out: usize, pitch: usize, side: usize, isCorner: bool, matrix: usize): void {
  const isNarrow = isCorner || side < 5;
  const shift = CONSTANT_BITS - PASS_BITS;
  const round = i32x4.splat(1 << (shift - 1));
  const r0 = v128.load(block);
  const r1 = v128.load(block, 16);
  const r2 = v128.load(block, 32);
  const r3 = v128.load(block, 48);
  const p0 = lowPairs(r0, r1);
  const p1 = lowPairs(r2, r3);
  const end = matrix + (side << 2);
  let row = words;
  if (isNarrow) {
    for (let at = matrix; at < end; at += 4) {
      const first = i32x4.dot_i16x8_s(p0, v128.load32_splat(at));
      const second = i32x4.dot_i16x8_s(p1, v128.load32_splat(at, 32));
      const sum = i32x4.shr_s(i32x4.add(i32x4.add(first, second), round), shift);
      v128.store(row, i16x8.narrow_i32x4_s(sum, sum));
      row += 16;
    }
  } else {
    const r4 = v128.load(block, 64);
    const r5 = v128.load(block, 80);
    const r6 = v128.load(block, 96);
    const r7 = v128.load(block, 112);
    const p2 = lowPairs(r4, r5);
    const p3 = lowPairs(r6, r7);
    const h0 = highPairs(r0, r1);
    const h1 = highPairs(r2, r3);
    const h2 = highPairs(r4, r5);
    const h3 = highPairs(r6, r7);
    for (let at = matrix; at < end; at += 4) {
      const m0 = v128.load32_splat(at);
      const m1 = v128.load32_splat(at, 32);
      const m2 = v128.load32_splat(at, 64);
      const m3 = v128.load32_splat(at, 96);
      const low = i32x4.add(
        i32x4.add(i32x4.dot_i16x8_s(p0, m0), i32x4.dot_i16x8_s(p1, m1)),
        i32x4.add(i32x4.dot_i16x8_s(p2, m2), i32x4.dot_i16x8_s(p3, m3)),
      );
      const high = i32x4.add(
        i32x4.add(i32x4.dot_i16x8_s(h0, m0), i32x4.dot_i16x8_s(h1, m1)),
        i32x4.add(i32x4.dot_i16x8_s(h2, m2), i32x4.dot_i16x8_s(h3, m3)),
      );
      v128.store(row, narrowed(i32x4.add(low, round), i32x4.add(high, round), shift));
      row += 16;
    }
  }
  storeLowest(out, pitch, row, isNarrow, side < 5, matrix);
}

/** Transforms the second dimension: rows of words from `words` to `end` become samples. */
function storeLowest(out: usize, pitch: usize, end: usize, isNarrow: bool, isShort: bool, matrix: usize): void {
  const shift = CONSTANT_BITS + PASS_BITS + 3;
  // Includes the offset of 128 of samples.
  const round = i32x4.splat((1 << (shift - 1)) + (128 << shift));
  const m0 = v128.load(matrix);
  const m1 = v128.load(matrix, 32);
  const m2 = v128.load(matrix, 64);
  const m3 = v128.load(matrix, 96);
  const n0 = v128.load(matrix, 16);
  const n1 = v128.load(matrix, 48);
  const n2 = v128.load(matrix, 80);
  const n3 = v128.load(matrix, 112);
  for (let row = words; row < end; row += 16) {
    const c0 = v128.load32_splat(row);
    const c1 = v128.load32_splat(row, 4);
    let low = i32x4.add(round, i32x4.add(i32x4.dot_i16x8_s(c0, m0), i32x4.dot_i16x8_s(c1, m1)));
    let high = round;
    if (!isShort) high = i32x4.add(high, i32x4.add(i32x4.dot_i16x8_s(c0, n0), i32x4.dot_i16x8_s(c1, n1)));
    if (!isNarrow) {
      const c2 = v128.load32_splat(row, 8);
      const c3 = v128.load32_splat(row, 12);
      low = i32x4.add(low, i32x4.add(i32x4.dot_i16x8_s(c2, m2), i32x4.dot_i16x8_s(c3, m3)));
      high = i32x4.add(high, i32x4.add(i32x4.dot_i16x8_s(c2, n2), i32x4.dot_i16x8_s(c3, n3)));
    }
    const samples = narrowed(low, high, shift);
    v128.store64_lane(out, i8x16.narrow_i16x8_u(samples, samples), 0);
    out += pitch;
  }
}

/** Bytes of a matrix for `transformScaled`: 8 rows of 16 floats. */
export const MATRIX_BYTES: usize = 8 * 16 * 4;
/** Contributions of a block's coefficients to one row of samples, one float per column. */
const columns: usize = memory.data(8 * 4, 16);

/**
 * Writes the samples of `block` as `side` rows of `side` bytes, plus up to 3 more bytes per row.
 * @param side more than 8
 * @param matrix eight times the contribution of each coefficient of a column to each sample: 8 rows of 16 floats
 */
export function transformScaled(out: usize, pitch: usize, side: i32, matrix: usize): void {
  for (let row: usize = 0; row < 8; row++) {
    const line = v128.load(block + (row << 4));
    v128.store(floats + (row << 5), f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(line)));
    v128.store(floats + (row << 5), f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(line)), 16);
  }
  for (let y: usize = 0; y < <usize>side; y++) {
    let low = f32x4.splat(0);
    let high = f32x4.splat(0);
    for (let row: usize = 0; row < 8; row++) {
      const factor = v128.load32_splat(matrix + (row << 6) + (y << 2));
      low = f32x4.add(low, f32x4.mul(factor, v128.load(floats + (row << 5))));
      high = f32x4.add(high, f32x4.mul(factor, v128.load(floats + (row << 5), 16)));
    }
    v128.store(columns, low);
    v128.store(columns, high, 16);
    for (let x: usize = 0; x < <usize>side; x += 4) {
      let sum = f32x4.splat(0);
      for (let column: usize = 0; column < 8; column++) {
        const factor = v128.load32_splat(columns + (column << 2));
        sum = f32x4.add(sum, f32x4.mul(factor, v128.load(matrix + (column << 6) + (x << 2))));
      }
      const level = f32x4.add(f32x4.mul(sum, f32x4.splat(0.125)), f32x4.splat(128.5));
      const samples = i32x4.trunc_sat_f32x4_s(f32x4.floor(level));
      const pair = i16x8.narrow_i32x4_s(samples, samples);
      v128.store32_lane(out + x, i8x16.narrow_i16x8_u(pair, pair), 0);
    }
    out += pitch;
  }
}
