/**
 * Transforms samples to coefficients with the scaled transform of Y. Arai, T. Agui and M. Nakajima ("A fast DCT-SQ
 * scheme for images", 1988): eight rows at once in 16 bits, then four columns at once in floats. Its scale factors are
 * part of the quantization.
 */
import { transpose } from '../../assembly/vectors';

/** The last transformed block in natural order: 64 floats, scaled. */
export const scaled: usize = memory.data(256, 16);

/**
 * Fraction bits of the samples. With more of them, the sum of eight samples would not fit in 16 bits. Together with the
 * factor of 8 of the transform, a coefficient is scaled by 128.
 */
const SAMPLE_BITS: i32 = 4;

// sin(π/8), cos(π/8) - sin(π/8) and cos(π/8) + sin(π/8), as floats.
const EXACT_SINE: f32 = 0.38268343;
const EXACT_DIFFERENCE: f32 = 0.5411961;
const EXACT_SUM: f32 = 1.306563;
// The same and √½ times 2^15. The sum is reduced by 1, because it would not fit otherwise.
const ROOT_HALF: i16 = 23170;
const SINE: i16 = 12540;
const DIFFERENCE: i16 = 17734;
const SUM_LESS_ONE: i16 = 10045;

/** Working memory of the first dimension: 8 vectors of 8 words. */
const words: usize = memory.data(128, 16);

/**
 * Transforms a block into `scaled`.
 * @param from samples of 16 bits, centred on 0
 * @param pitch bytes from one line to the next
 */
export function transformForward(from: usize, pitch: usize): void {
  for (let row: usize = 0; row < 8; row++)
    v128.store(words + (row << 4), i16x8.shl(v128.load(from + row * pitch), SAMPLE_BITS));
  transpose(words);
  transformWords();
  transpose(words);
  transformFloats(0, scaled);
  transformFloats(8, scaled + 16);
}

/** Returns four words of a row of `words` as floats. */
function floatsAt(row: usize, from: usize): v128 {
  return f32x4.convert_i32x4_s(v128.load16x4_s(words + (row << 4) + from));
}

function times(vector: v128, factor: i16): v128 {
  return i16x8.q15mulr_sat_s(vector, i16x8.splat(factor));
}

/** Transforms one dimension, eight at once: the rows of `words` become their coefficients. */
function transformWords(): void {
  const s0 = v128.load(words);
  const s1 = v128.load(words, 16);
  const s2 = v128.load(words, 32);
  const s3 = v128.load(words, 48);
  const s4 = v128.load(words, 64);
  const s5 = v128.load(words, 80);
  const s6 = v128.load(words, 96);
  const s7 = v128.load(words, 112);
  const outer = i16x8.add(s0, s7);
  const outerDifference = i16x8.sub(s0, s7);
  const second = i16x8.add(s1, s6);
  const secondDifference = i16x8.sub(s1, s6);
  const third = i16x8.add(s2, s5);
  const thirdDifference = i16x8.sub(s2, s5);
  const inner = i16x8.add(s3, s4);
  const innerDifference = i16x8.sub(s3, s4);

  const ends = i16x8.add(outer, inner);
  const endsDifference = i16x8.sub(outer, inner);
  const middles = i16x8.add(second, third);
  const middlesDifference = i16x8.sub(second, third);
  v128.store(words, i16x8.add(ends, middles));
  v128.store(words, i16x8.sub(ends, middles), 64);
  const turned = times(i16x8.add(middlesDifference, endsDifference), ROOT_HALF);
  v128.store(words, i16x8.add(endsDifference, turned), 32);
  v128.store(words, i16x8.sub(endsDifference, turned), 96);

  const low = i16x8.add(innerDifference, thirdDifference);
  const middle = times(i16x8.add(thirdDifference, secondDifference), ROOT_HALF);
  const high = i16x8.add(secondDifference, outerDifference);
  const shared = times(i16x8.sub(low, high), SINE);
  const lowPart = i16x8.add(times(low, DIFFERENCE), shared);
  const highPart = i16x8.add(i16x8.add(high, times(high, SUM_LESS_ONE)), shared);
  const sum = i16x8.add(outerDifference, middle);
  const difference = i16x8.sub(outerDifference, middle);
  v128.store(words, i16x8.add(difference, lowPart), 80);
  v128.store(words, i16x8.sub(difference, lowPart), 48);
  v128.store(words, i16x8.add(sum, highPart), 16);
  v128.store(words, i16x8.sub(sum, highPart), 112);
}

/**
 * Transforms one dimension, four at once.
 * @param from offset of the first of them in a row of `words`, in bytes
 * @param out 8 rows of floats, 32 bytes apart
 */
function transformFloats(from: usize, out: usize): void {
  const s0 = floatsAt(0, from);
  const s1 = floatsAt(1, from);
  const s2 = floatsAt(2, from);
  const s3 = floatsAt(3, from);
  const s4 = floatsAt(4, from);
  const s5 = floatsAt(5, from);
  const s6 = floatsAt(6, from);
  const s7 = floatsAt(7, from);
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
 * @param reciprocals factors of the coefficients, 64 floats
 * @returns one bit per coefficient that is not zero, in natural order
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
