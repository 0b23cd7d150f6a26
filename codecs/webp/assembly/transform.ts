/**
 * Transforms of 4 x 4 blocks (RFC 6386, 14.3 and 14.4), two at a time. A vector holds one line of the first block, then
 * one of the second. Coefficients are stored in columns: first the four of horizontal frequency 0.
 */
import { highDoubles, highHalves, highPairs, lowDoubles, lowHalves, lowPairs } from '../../assembly/vectors';

// 2^12 times √2 sin(π/8) and √2 cos(π/8).
const SINE: i32 = 2217;
const COSINE: i32 = 5352;

// 2^16 times √2 cos(π/8) - 1, and √2 sin(π/8) - 1; the subtraction makes it fit in 16 bits.
const INVERSE_COSINE: i16 = 20091;
const INVERSE_SINE: i16 = -30068;

/** Lines of two 4 x 4 blocks. */
let line0: v128 = i16x8.splat(0);
let line1: v128 = i16x8.splat(0);
let line2: v128 = i16x8.splat(0);
let line3: v128 = i16x8.splat(0);

/** Transposes lines and columns in both blocks. */
function transposeBlocks(): void {
  const a0 = lowPairs(line0, line1);
  const a1 = highPairs(line0, line1);
  const a2 = lowPairs(line2, line3);
  const a3 = highPairs(line2, line3);
  const b0 = lowDoubles(a0, a2);
  const b1 = highDoubles(a0, a2);
  const b2 = lowDoubles(a1, a3);
  const b3 = highDoubles(a1, a3);
  line0 = lowHalves(b0, b2);
  line1 = highHalves(b0, b2);
  line2 = lowHalves(b1, b3);
  line3 = highHalves(b1, b3);
}

/** Returns shifted sums of products of two vectors. */
function weigh(a: v128, b: v128, factors: v128, rounding: v128, bits: i32): v128 {
  const low = i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(lowPairs(a, b), factors), rounding), bits);
  const high = i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(highPairs(a, b), factors), rounding), bits);
  return i16x8.narrow_i32x4_s(low, high);
}

/**
 * Computes the coefficients of two blocks of differences, twice as large as those of an orthonormal transform.
 * @param out receives 16 16-bit numbers of the first block, then of the second
 */
export function forward(r0: v128, r1: v128, r2: v128, r3: v128, out: usize): void {
  const sines = i32x4.splat((COSINE << 16) | SINE);
  const cosines = i32x4.splat((SINE << 16) | (-COSINE & 0xffff));
  let a0 = i16x8.add(r0, r3);
  let a1 = i16x8.add(r1, r2);
  let a2 = i16x8.sub(r1, r2);
  let a3 = i16x8.sub(r0, r3);
  line0 = i16x8.shl(i16x8.add(a0, a1), 3);
  line1 = weigh(a2, a3, sines, i32x4.splat(1812), 9);
  line2 = i16x8.shl(i16x8.sub(a0, a1), 3);
  line3 = weigh(a2, a3, cosines, i32x4.splat(937), 9);
  transposeBlocks();
  a0 = i16x8.add(line0, line3);
  a1 = i16x8.add(line1, line2);
  a2 = i16x8.sub(line1, line2);
  a3 = i16x8.sub(line0, line3);
  const seven = i16x8.splat(7);
  const c0 = i16x8.shr_s(i16x8.add(i16x8.add(a0, a1), seven), 4);
  const c1 = weigh(a2, a3, sines, i32x4.splat(32768), 16);
  const c2 = i16x8.shr_s(i16x8.add(i16x8.sub(a0, a1), seven), 4);
  const c3 = weigh(a2, a3, cosines, i32x4.splat(32768), 16);
  v128.store(out, lowHalves(c0, c1));
  v128.store(out, lowHalves(c2, c3), 16);
  v128.store(out, highHalves(c0, c1), 32);
  v128.store(out, highHalves(c2, c3), 48);
}

/** Returns the high halves of products with a factor. */
function scaled(values: v128, factor: i16): v128 {
  const factors = i16x8.splat(factor);
  const low = i32x4.extmul_low_i16x8_s(values, factors);
  const high = i32x4.extmul_high_i16x8_s(values, factors);
  return i8x16.shuffle(low, high, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
}

/** Transforms one dimension of the inverse transform. */
function inverseLines(rounding: v128): void {
  const first = i16x8.add(line0, rounding);
  const a = i16x8.add(first, line2);
  const b = i16x8.sub(first, line2);
  const c = i16x8.sub(i16x8.add(scaled(line1, INVERSE_SINE), line1), i16x8.add(scaled(line3, INVERSE_COSINE), line3));
  const d = i16x8.add(i16x8.add(scaled(line1, INVERSE_COSINE), line1), i16x8.add(scaled(line3, INVERSE_SINE), line3));
  line0 = i16x8.add(a, d);
  line1 = i16x8.add(b, c);
  line2 = i16x8.sub(b, c);
  line3 = i16x8.sub(a, d);
}

/**
 * Computes the differences that coefficients represent, in `line0` to `line3`.
 * @param coefficients of two blocks
 */
function inverse(coefficients: usize): void {
  const a0 = v128.load(coefficients);
  const a1 = v128.load(coefficients, 16);
  const b0 = v128.load(coefficients, 32);
  const b1 = v128.load(coefficients, 48);
  line0 = lowHalves(a0, b0);
  line1 = highHalves(a0, b0);
  line2 = lowHalves(a1, b1);
  line3 = highHalves(a1, b1);
  transposeBlocks();
  inverseLines(i16x8.splat(0));
  transposeBlocks();
  inverseLines(i16x8.splat(4));
  transposeBlocks();
}

/** Adds the differences of a line to 8 samples of a prediction. */
function reconstructed(line: v128, prediction: usize): v128 {
  const sum = i16x8.add(v128.load8x8_u(prediction), i16x8.shr_s(line, 3));
  return i8x16.narrow_i16x8_u(sum, sum);
}

/**
 * Reconstructs two adjacent blocks.
 * @param prediction lines of 8 samples, 16 bytes from one to the next
 * @param pitch of `out`
 */
export function reconstructPair(coefficients: usize, prediction: usize, out: usize, pitch: usize): void {
  inverse(coefficients);
  v128.store64_lane(out, reconstructed(line0, prediction), 0);
  v128.store64_lane(out + pitch, reconstructed(line1, prediction + 16), 0);
  v128.store64_lane(out + pitch * 2, reconstructed(line2, prediction + 32), 0);
  v128.store64_lane(out + pitch * 3, reconstructed(line3, prediction + 48), 0);
}

/**
 * Reconstructs the first of two blocks.
 * @param prediction 16 samples
 */
export function reconstructBlock(coefficients: usize, prediction: usize, out: usize, pitch: usize): void {
  inverse(coefficients);
  v128.store32_lane(out, reconstructed(line0, prediction), 0);
  v128.store32_lane(out + pitch, reconstructed(line1, prediction + 4), 0);
  v128.store32_lane(out + pitch * 2, reconstructed(line2, prediction + 8), 0);
  v128.store32_lane(out + pitch * 3, reconstructed(line3, prediction + 12), 0);
}

/**
 * Transforms the first coefficients of 16 blocks (14.3), in lines of blocks.
 * @param step bytes from one coefficient to the next
 */
export function forwardWalsh(input: usize, step: usize, out: usize): void {
  for (let line: usize = 0; line < 4; line++) {
    const at = input + line * 4 * step;
    const i0 = <i32>load<i16>(at);
    const i1 = <i32>load<i16>(at + step);
    const i2 = <i32>load<i16>(at + 2 * step);
    const i3 = <i32>load<i16>(at + 3 * step);
    const place = WALSH + line * 16;
    store<i32>(place, i0 + i2 + i1 + i3);
    store<i32>(place, i0 - i2 + i1 - i3, 4);
    store<i32>(place, i0 - i2 - i1 + i3, 8);
    store<i32>(place, i0 + i2 - i1 - i3, 12);
  }
  for (let column: usize = 0; column < 4; column++) {
    const at = WALSH + column * 4;
    const i0 = load<i32>(at);
    const i1 = load<i32>(at, 16);
    const i2 = load<i32>(at, 32);
    const i3 = load<i32>(at, 48);
    const place = out + column * 8;
    store<i16>(place, <i16>((i0 + i2 + i1 + i3) >> 1));
    store<i16>(place, <i16>((i0 - i2 + i1 - i3) >> 1), 2);
    store<i16>(place, <i16>((i0 - i2 - i1 + i3) >> 1), 4);
    store<i16>(place, <i16>((i0 + i2 - i1 - i3) >> 1), 6);
  }
}

const WALSH: usize = memory.data(16 * 4, 16);

/**
 * The inverse of `forwardWalsh`.
 * @param step bytes from one result to the next
 */
export function inverseWalsh(input: usize, out: usize, step: usize): void {
  for (let column: usize = 0; column < 4; column++) {
    const at = input + column * 8;
    const i0 = <i32>load<i16>(at);
    const i1 = <i32>load<i16>(at, 2);
    const i2 = <i32>load<i16>(at, 4);
    const i3 = <i32>load<i16>(at, 6);
    const place = WALSH + column * 4;
    store<i32>(place, i0 + i3 + i1 + i2);
    store<i32>(place, i0 - i3 + i1 - i2, 16);
    store<i32>(place, i0 + i3 - i1 - i2, 32);
    store<i32>(place, i0 - i3 - i1 + i2, 48);
  }
  for (let line: usize = 0; line < 4; line++) {
    const at = WALSH + line * 16;
    const i0 = load<i32>(at) + 3;
    const i1 = load<i32>(at, 4);
    const i2 = load<i32>(at, 8);
    const i3 = load<i32>(at, 12);
    const place = out + line * 4 * step;
    store<i16>(place, <i16>((i0 + i3 + i1 + i2) >> 3));
    store<i16>(place + step, <i16>((i0 - i3 + i1 - i2) >> 3));
    store<i16>(place + 2 * step, <i16>((i0 + i3 - i1 - i2) >> 3));
    store<i16>(place + 3 * step, <i16>((i0 - i3 - i1 + i2) >> 3));
  }
}

/**
 * Returns the sums of the absolute Hadamard coefficients of two blocks: lanes 0 and 1 for the first, 2 and 3 for the
 * second.
 */
export function hadamard(r0: v128, r1: v128, r2: v128, r3: v128): v128 {
  const a = i16x8.add(r0, r2);
  const b = i16x8.add(r1, r3);
  const c = i16x8.sub(r0, r2);
  const d = i16x8.sub(r1, r3);
  line0 = i16x8.add(a, b);
  line1 = i16x8.sub(a, b);
  line2 = i16x8.add(c, d);
  line3 = i16x8.sub(c, d);
  transposeBlocks();
  const s0 = i16x8.abs(i16x8.add(line0, line2));
  const s1 = i16x8.abs(i16x8.add(line1, line3));
  const d0 = i16x8.abs(i16x8.sub(line0, line2));
  const d1 = i16x8.abs(i16x8.sub(line1, line3));
  // |a + b| + |a - b| is twice the larger one.
  const sum = i16x8.add(i16x8.max_s(s0, s1), i16x8.max_s(d0, d1));
  return i32x4.shl(i32x4.extadd_pairwise_i16x8_s(sum), 1);
}
