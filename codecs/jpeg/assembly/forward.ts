/**
 * Samples to coefficients: the scaled transform of Y. Arai, T. Agui and M. Nakajima ("A fast DCT-SQ scheme for images", 1988), of rows on
 * eight of them at once in 16 bits, of columns on four in floats. Its scale factors are part of the quantization.
 */
import { highDoubles, highHalves, highPairs, lowDoubles, lowHalves, lowPairs } from './vectors';

/** Of the block that was transformed last, in natural order: 64 floats, scaled. */
export const scaled: usize = memory.data(256, 16);

/**
 * Bits of a fraction of the samples: more of them would not fit into 16 bits where eight are added. With them, and 8 of the transform, a
 * coefficient is scaled by 128.
 */
const SAMPLE_BITS: i32 = 4;

// sin(π/8), cos(π/8) - sin(π/8) and cos(π/8) + sin(π/8), as floats.
const EXACT_SINE: f32 = 0.38268343;
const EXACT_DIFFERENCE: f32 = 0.5411961;
const EXACT_SUM: f32 = 1.306563;
// The same and √½ times 2^15; the sum less 1, which would not fit.
const ROOT_HALF: i16 = 23170;
const SINE: i16 = 12540;
const DIFFERENCE: i16 = 17734;
const SUM_LESS_ONE: i16 = 10045;

let r0: v128 = i16x8.splat(0);
let r1: v128 = i16x8.splat(0);
let r2: v128 = i16x8.splat(0);
let r3: v128 = i16x8.splat(0);
let r4: v128 = i16x8.splat(0);
let r5: v128 = i16x8.splat(0);
let r6: v128 = i16x8.splat(0);
let r7: v128 = i16x8.splat(0);

/**
 * Transforms a block into `scaled`.
 * @param from samples of 16 bits, about 0
 * @param pitch of their lines, in bytes
 */
export function transformForward(from: usize, pitch: usize): void {
  r0 = i16x8.shl(v128.load(from), SAMPLE_BITS);
  r1 = i16x8.shl(v128.load(from + pitch), SAMPLE_BITS);
  r2 = i16x8.shl(v128.load(from + pitch * 2), SAMPLE_BITS);
  r3 = i16x8.shl(v128.load(from + pitch * 3), SAMPLE_BITS);
  r4 = i16x8.shl(v128.load(from + pitch * 4), SAMPLE_BITS);
  r5 = i16x8.shl(v128.load(from + pitch * 5), SAMPLE_BITS);
  r6 = i16x8.shl(v128.load(from + pitch * 6), SAMPLE_BITS);
  r7 = i16x8.shl(v128.load(from + pitch * 7), SAMPLE_BITS);
  transpose();
  transformWords();
  transpose();
  transformFloats(
    lowFloats(r0),
    lowFloats(r1),
    lowFloats(r2),
    lowFloats(r3),
    lowFloats(r4),
    lowFloats(r5),
    lowFloats(r6),
    lowFloats(r7),
    scaled,
  );
  transformFloats(
    highFloats(r0),
    highFloats(r1),
    highFloats(r2),
    highFloats(r3),
    highFloats(r4),
    highFloats(r5),
    highFloats(r6),
    highFloats(r7),
    scaled + 16,
  );
}

function lowFloats(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(words));
}

function highFloats(words: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(words));
}

function transpose(): void {
  const a0 = lowPairs(r0, r1);
  const a1 = highPairs(r0, r1);
  const a2 = lowPairs(r2, r3);
  const a3 = highPairs(r2, r3);
  const a4 = lowPairs(r4, r5);
  const a5 = highPairs(r4, r5);
  const a6 = lowPairs(r6, r7);
  const a7 = highPairs(r6, r7);
  const b0 = lowDoubles(a0, a2);
  const b1 = highDoubles(a0, a2);
  const b2 = lowDoubles(a1, a3);
  const b3 = highDoubles(a1, a3);
  const b4 = lowDoubles(a4, a6);
  const b5 = highDoubles(a4, a6);
  const b6 = lowDoubles(a5, a7);
  const b7 = highDoubles(a5, a7);
  r0 = lowHalves(b0, b4);
  r1 = highHalves(b0, b4);
  r2 = lowHalves(b1, b5);
  r3 = highHalves(b1, b5);
  r4 = lowHalves(b2, b6);
  r5 = highHalves(b2, b6);
  r6 = lowHalves(b3, b7);
  r7 = highHalves(b3, b7);
}

function times(vector: v128, factor: i16): v128 {
  return i16x8.q15mulr_sat_s(vector, i16x8.splat(factor));
}

/** One dimension, on eight at once: `r0` to `r7` become their coefficients. */
function transformWords(): void {
  const outer = i16x8.add(r0, r7);
  const outerDifference = i16x8.sub(r0, r7);
  const second = i16x8.add(r1, r6);
  const secondDifference = i16x8.sub(r1, r6);
  const third = i16x8.add(r2, r5);
  const thirdDifference = i16x8.sub(r2, r5);
  const inner = i16x8.add(r3, r4);
  const innerDifference = i16x8.sub(r3, r4);

  const ends = i16x8.add(outer, inner);
  const endsDifference = i16x8.sub(outer, inner);
  const middles = i16x8.add(second, third);
  const middlesDifference = i16x8.sub(second, third);
  r0 = i16x8.add(ends, middles);
  r4 = i16x8.sub(ends, middles);
  const turned = times(i16x8.add(middlesDifference, endsDifference), ROOT_HALF);
  r2 = i16x8.add(endsDifference, turned);
  r6 = i16x8.sub(endsDifference, turned);

  const low = i16x8.add(innerDifference, thirdDifference);
  const middle = times(i16x8.add(thirdDifference, secondDifference), ROOT_HALF);
  const high = i16x8.add(secondDifference, outerDifference);
  const shared = times(i16x8.sub(low, high), SINE);
  const lowPart = i16x8.add(times(low, DIFFERENCE), shared);
  const highPart = i16x8.add(i16x8.add(high, times(high, SUM_LESS_ONE)), shared);
  const sum = i16x8.add(outerDifference, middle);
  const difference = i16x8.sub(outerDifference, middle);
  r5 = i16x8.add(difference, lowPart);
  r3 = i16x8.sub(difference, lowPart);
  r1 = i16x8.add(sum, highPart);
  r7 = i16x8.sub(sum, highPart);
}

/** The same on four at once. @param out 8 rows of floats, 32 bytes apart */
function transformFloats(
  s0: v128,
  s1: v128,
  s2: v128,
  s3: v128,
  s4: v128,
  s5: v128,
  s6: v128,
  s7: v128,
  out: usize,
): void {
  const outer = f32x4.add(s0, s7);
  const outerDifference = f32x4.sub(s0, s7);
  const second = f32x4.add(s1, s6);
  const secondDifference = f32x4.sub(s1, s6);
  const third = f32x4.add(s2, s5);
  const thirdDifference = f32x4.sub(s2, s5);
  const inner = f32x4.add(s3, s4);
  const innerDifference = f32x4.sub(s3, s4);

  const ends = f32x4.add(outer, inner);
  const endsDifference = f32x4.sub(outer, inner);
  const middles = f32x4.add(second, third);
  const middlesDifference = f32x4.sub(second, third);
  v128.store(out, f32x4.add(ends, middles));
  v128.store(out, f32x4.sub(ends, middles), 128);
  const turned = f32x4.mul(f32x4.add(middlesDifference, endsDifference), f32x4.splat(<f32>Math.SQRT1_2));
  v128.store(out, f32x4.add(endsDifference, turned), 64);
  v128.store(out, f32x4.sub(endsDifference, turned), 192);

  const low = f32x4.add(innerDifference, thirdDifference);
  const middle = f32x4.mul(f32x4.add(thirdDifference, secondDifference), f32x4.splat(<f32>Math.SQRT1_2));
  const high = f32x4.add(secondDifference, outerDifference);
  const shared = f32x4.mul(f32x4.sub(low, high), f32x4.splat(EXACT_SINE));
  const lowPart = f32x4.add(f32x4.mul(low, f32x4.splat(EXACT_DIFFERENCE)), shared);
  const highPart = f32x4.add(f32x4.mul(high, f32x4.splat(EXACT_SUM)), shared);
  const sum = f32x4.add(outerDifference, middle);
  const difference = f32x4.sub(outerDifference, middle);
  v128.store(out, f32x4.add(difference, lowPart), 160);
  v128.store(out, f32x4.sub(difference, lowPart), 96);
  v128.store(out, f32x4.add(sum, highPart), 32);
  v128.store(out, f32x4.sub(sum, highPart), 224);
}

/**
 * Quantizes the block in `scaled`.
 * @param reciprocals what each is multiplied by, 64 floats
 * @returns a bit for each coefficient that is not zero, in natural order
 */
export function quantize(reciprocals: usize, out: usize): u64 {
  let mask: u64 = 0;
  const zero = i16x8.splat(0);
  for (let row: usize = 0; row < 8; row++) {
    const at = row << 5;
    const low = f32x4.mul(v128.load(scaled + at), v128.load(reciprocals + at));
    const high = f32x4.mul(v128.load(scaled + at, 16), v128.load(reciprocals + at, 16));
    const values = i16x8.narrow_i32x4_s(
      i32x4.trunc_sat_f32x4_s(f32x4.nearest(low)),
      i32x4.trunc_sat_f32x4_s(f32x4.nearest(high)),
    );
    v128.store(out + (row << 4), values);
    mask |= (<u64>i16x8.bitmask(i16x8.ne(values, zero))) << (row << 3);
  }
  return mask;
}
