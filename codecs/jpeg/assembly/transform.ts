/**
 * Transforms coefficients to samples for blocks of 8 x 8: the accurate integer transform of libjpeg (after C. Loeffler,
 * A. Ligtenberg and G. Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications", 1989).
 */
import { highDoubles, highHalves, highPairs, lowDoubles, lowHalves, lowPairs, transpose } from '../../assembly/vectors';

/** Coefficients in natural order, times their quantization, 16 bits each. */
export const block: usize = memory.data(128, 16);
/** Fraction bits of the constants below. */
export const CONSTANT_BITS: i32 = 13;
/** Fraction bits of the result of the first pass. */
export const PASS_BITS: i32 = 2;

/** Returns two factors for the pairs of `dot`. */
export function factors(first: i32, second: i32): v128 {
  return i32x4.splat((second << 16) | (first & 0xffff));
}

/** The result of a pass: 8 vectors of 8 words. */
export const words: usize = memory.data(128, 16);

/**
 * Transforms one dimension, eight columns at once: reads the rows at `from` and writes to `words`. The constants are
 * products and sums of √2·cos(kπ/16), times 2^13, combined so that each sum of two products is one instruction.
 * @param shift fraction bits to drop
 */
function transformColumns(from: usize, shift: i32): void {
  const r0 = v128.load(from);
  const r1 = v128.load(from, 16);
  const r2 = v128.load(from, 32);
  const r3 = v128.load(from, 48);
  const r4 = v128.load(from, 64);
  const r5 = v128.load(from, 80);
  const r6 = v128.load(from, 96);
  const r7 = v128.load(from, 112);
  const round = i32x4.splat(1 << (shift - 1));
  const sum = i16x8.add(r0, r4);
  const difference = i16x8.sub(r0, r4);
  const third = i16x8.add(r7, r3);
  const fourth = i16x8.add(r5, r1);

  let even = lowPairs(r2, r6);
  let twos = i32x4.dot_i16x8_s(even, factors(4433, -10704));
  let threes = i32x4.dot_i16x8_s(even, factors(10703, 4433));
  let zeros = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(sum), CONSTANT_BITS), round);
  let ones = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(difference), CONSTANT_BITS), round);
  const e0 = i32x4.add(zeros, threes);
  const e3 = i32x4.sub(zeros, threes);
  const e1 = i32x4.add(ones, twos);
  const e2 = i32x4.sub(ones, twos);
  let shared = lowPairs(third, fourth);
  let toThird = i32x4.dot_i16x8_s(shared, factors(-6436, 9633));
  let toFourth = i32x4.dot_i16x8_s(shared, factors(9633, 6437));
  let outer = lowPairs(r7, r1);
  let inner = lowPairs(r5, r3);
  const o0 = i32x4.add(i32x4.dot_i16x8_s(outer, factors(-4927, -7373)), toThird);
  const o1 = i32x4.add(i32x4.dot_i16x8_s(inner, factors(-4176, -20995)), toFourth);
  const o2 = i32x4.add(i32x4.dot_i16x8_s(inner, factors(-20995, 4177)), toThird);
  const o3 = i32x4.add(i32x4.dot_i16x8_s(outer, factors(-7373, 4926)), toFourth);

  even = highPairs(r2, r6);
  twos = i32x4.dot_i16x8_s(even, factors(4433, -10704));
  threes = i32x4.dot_i16x8_s(even, factors(10703, 4433));
  zeros = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(sum), CONSTANT_BITS), round);
  ones = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(difference), CONSTANT_BITS), round);
  const f0 = i32x4.add(zeros, threes);
  const f3 = i32x4.sub(zeros, threes);
  const f1 = i32x4.add(ones, twos);
  const f2 = i32x4.sub(ones, twos);
  shared = highPairs(third, fourth);
  toThird = i32x4.dot_i16x8_s(shared, factors(-6436, 9633));
  toFourth = i32x4.dot_i16x8_s(shared, factors(9633, 6437));
  outer = highPairs(r7, r1);
  inner = highPairs(r5, r3);
  const p0 = i32x4.add(i32x4.dot_i16x8_s(outer, factors(-4927, -7373)), toThird);
  const p1 = i32x4.add(i32x4.dot_i16x8_s(inner, factors(-4176, -20995)), toFourth);
  const p2 = i32x4.add(i32x4.dot_i16x8_s(inner, factors(-20995, 4177)), toThird);
  const p3 = i32x4.add(i32x4.dot_i16x8_s(outer, factors(-7373, 4926)), toFourth);

  v128.store(words, narrowed(i32x4.add(e0, o3), i32x4.add(f0, p3), shift));
  v128.store(words, narrowed(i32x4.add(e1, o2), i32x4.add(f1, p2), shift), 16);
  v128.store(words, narrowed(i32x4.add(e2, o1), i32x4.add(f2, p1), shift), 32);
  v128.store(words, narrowed(i32x4.add(e3, o0), i32x4.add(f3, p0), shift), 48);
  v128.store(words, narrowed(i32x4.sub(e3, o0), i32x4.sub(f3, p0), shift), 64);
  v128.store(words, narrowed(i32x4.sub(e2, o1), i32x4.sub(f2, p1), shift), 80);
  v128.store(words, narrowed(i32x4.sub(e1, o2), i32x4.sub(f1, p2), shift), 96);
  v128.store(words, narrowed(i32x4.sub(e0, o3), i32x4.sub(f0, p3), shift), 112);
}

export function narrowed(low: v128, high: v128, shift: i32): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(low, shift), i32x4.shr_s(high, shift));
}

/** Writes the columns of samples in `words`, centred on 0, as rows of bytes, centred on 128. */
function storeColumns(out: usize, pitch: usize): void {
  const level = i8x16.splat(-128);
  const c0 = columnPair(v128.load(words), v128.load(words, 16));
  const c1 = columnPair(v128.load(words, 32), v128.load(words, 48));
  const c2 = columnPair(v128.load(words, 64), v128.load(words, 80));
  const c3 = columnPair(v128.load(words, 96), v128.load(words, 112));
  const upperLeft = lowPairs(c0, c1);
  const lowerLeft = highPairs(c0, c1);
  const upperRight = lowPairs(c2, c3);
  const lowerRight = highPairs(c2, c3);
  storeRows(v128.xor(lowDoubles(upperLeft, upperRight), level), out, pitch);
  storeRows(v128.xor(highDoubles(upperLeft, upperRight), level), out + 2 * pitch, pitch);
  storeRows(v128.xor(lowDoubles(lowerLeft, lowerRight), level), out + 4 * pitch, pitch);
  storeRows(v128.xor(highDoubles(lowerLeft, lowerRight), level), out + 6 * pitch, pitch);
}

/** Interleaves the bytes of two columns. */
function columnPair(one: v128, other: v128): v128 {
  const bytes = i8x16.narrow_i16x8_s(one, other);
  return i8x16.shuffle(bytes, bytes, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}

function storeRows(rows: v128, out: usize, pitch: usize): void {
  v128.store64_lane(out, rows, 0);
  v128.store64_lane(out + pitch, rows, 1);
}

/** Writes the samples of `block` as 8 rows of 8 bytes. */
export function transformBlock(out: usize, pitch: usize): void {
  transformColumns(block, CONSTANT_BITS - PASS_BITS);
  transpose(words);
  transformColumns(words, CONSTANT_BITS + PASS_BITS + 3);
  storeColumns(out, pitch);
}

/** Like `transformBlock`, if only the first 4 x 4 coefficients are not zero. */
export function transformCorner(out: usize, pitch: usize): void {
  const shift = CONSTANT_BITS - PASS_BITS;
  const round = i32x4.splat(1 << (shift - 1));
  const r0 = v128.load64_zero(block);
  const r1 = v128.load64_zero(block, 16);
  const r2 = v128.load64_zero(block, 32);
  const r3 = v128.load64_zero(block, 48);
  const zeros = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(r0), CONSTANT_BITS), round);
  const twos = i32x4.extmul_low_i16x8_s(r2, i16x8.splat(4433));
  const threes = i32x4.extmul_low_i16x8_s(r2, i16x8.splat(10703));
  const e0 = i32x4.add(zeros, threes);
  const e1 = i32x4.add(zeros, twos);
  const e2 = i32x4.sub(zeros, twos);
  const e3 = i32x4.sub(zeros, threes);
  const odd = lowPairs(r3, r1);
  const o0 = i32x4.dot_i16x8_s(odd, factors(-6436, 2260));
  const o1 = i32x4.dot_i16x8_s(odd, factors(-11362, 6437));
  const o2 = i32x4.dot_i16x8_s(odd, factors(-2259, 9633));
  const o3 = i32x4.dot_i16x8_s(odd, factors(9633, 11363));
  // Two rows of four columns in each.
  const w0 = narrowed(i32x4.add(e0, o3), i32x4.add(e1, o2), shift);
  const w1 = narrowed(i32x4.add(e2, o1), i32x4.add(e3, o0), shift);
  const w2 = narrowed(i32x4.sub(e3, o0), i32x4.sub(e2, o1), shift);
  const w3 = narrowed(i32x4.sub(e1, o2), i32x4.sub(e0, o3), shift);
  const upperLeft = quarterColumns(w0, w1);
  const lowerLeft = quarterColumns(w2, w3);
  const upperRight = laterQuarterColumns(w0, w1);
  const lowerRight = laterQuarterColumns(w2, w3);
  transformRowsOfCorner(
    lowHalves(upperLeft, lowerLeft),
    highHalves(upperLeft, lowerLeft),
    lowHalves(upperRight, lowerRight),
    highHalves(upperRight, lowerRight),
  );
  storeColumns(out, pitch);
}

/** Returns the first two columns of four rows of four words. */
function quarterColumns(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 8, 9, 16, 17, 24, 25, 2, 3, 10, 11, 18, 19, 26, 27);
}
/** Returns the last two columns. */
function laterQuarterColumns(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 4, 5, 12, 13, 20, 21, 28, 29, 6, 7, 14, 15, 22, 23, 30, 31);
}

/** Transforms the second dimension of a corner: four columns of eight rows become eight columns at `words`. */
function transformRowsOfCorner(r0: v128, r1: v128, r2: v128, r3: v128): void {
  const shift = CONSTANT_BITS + PASS_BITS + 3;
  const round = i32x4.splat(1 << (shift - 1));
  const four = i16x8.splat(4433);
  const ten = i16x8.splat(10703);
  let zeros = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(r0), CONSTANT_BITS), round);
  let twos = i32x4.extmul_low_i16x8_s(r2, four);
  let threes = i32x4.extmul_low_i16x8_s(r2, ten);
  const e0 = i32x4.add(zeros, threes);
  const e1 = i32x4.add(zeros, twos);
  const e2 = i32x4.sub(zeros, twos);
  const e3 = i32x4.sub(zeros, threes);
  let odd = lowPairs(r3, r1);
  const o0 = i32x4.dot_i16x8_s(odd, factors(-6436, 2260));
  const o1 = i32x4.dot_i16x8_s(odd, factors(-11362, 6437));
  const o2 = i32x4.dot_i16x8_s(odd, factors(-2259, 9633));
  const o3 = i32x4.dot_i16x8_s(odd, factors(9633, 11363));
  zeros = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(r0), CONSTANT_BITS), round);
  twos = i32x4.extmul_high_i16x8_s(r2, four);
  threes = i32x4.extmul_high_i16x8_s(r2, ten);
  const f0 = i32x4.add(zeros, threes);
  const f1 = i32x4.add(zeros, twos);
  const f2 = i32x4.sub(zeros, twos);
  const f3 = i32x4.sub(zeros, threes);
  odd = highPairs(r3, r1);
  const p0 = i32x4.dot_i16x8_s(odd, factors(-6436, 2260));
  const p1 = i32x4.dot_i16x8_s(odd, factors(-11362, 6437));
  const p2 = i32x4.dot_i16x8_s(odd, factors(-2259, 9633));
  const p3 = i32x4.dot_i16x8_s(odd, factors(9633, 11363));
  v128.store(words, narrowed(i32x4.add(e0, o3), i32x4.add(f0, p3), shift));
  v128.store(words, narrowed(i32x4.add(e1, o2), i32x4.add(f1, p2), shift), 16);
  v128.store(words, narrowed(i32x4.add(e2, o1), i32x4.add(f2, p1), shift), 32);
  v128.store(words, narrowed(i32x4.add(e3, o0), i32x4.add(f3, p0), shift), 48);
  v128.store(words, narrowed(i32x4.sub(e3, o0), i32x4.sub(f3, p0), shift), 64);
  v128.store(words, narrowed(i32x4.sub(e2, o1), i32x4.sub(f2, p1), shift), 80);
  v128.store(words, narrowed(i32x4.sub(e1, o2), i32x4.sub(f1, p2), shift), 96);
  v128.store(words, narrowed(i32x4.sub(e0, o3), i32x4.sub(f0, p3), shift), 112);
}

/**
 * Fills a block whose AC coefficients are zero.
 * @param side of the block: 1 to 16
 */
export function fillBlock(out: usize, pitch: usize, side: i32): void {
  const dc = <i32>load<i16>(block);
  const sample = min(max(((dc + 4) >> 3) + 128, 0), 255);
  const samples = i8x16.splat(<i8>sample);
  for (let row = 0; row < side; row++) {
    if (side <= 8) v128.store64_lane(out, samples, 0);
    else v128.store(out, samples);
    out += pitch;
  }
}
