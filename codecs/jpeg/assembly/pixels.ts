/** Converts lines of pixels to lines of 16-bit samples, centred on 0 (JFIF 1.02, "Colour space"). */

// 2^15 times the weights of red, green and blue in luma and in Cb and Cr.
const LUMA_OF_RED: i16 = 9798;
const LUMA_OF_GREEN: i16 = 19235;
const LUMA_OF_BLUE: i16 = 3735;
const BLUES_OF_RED: i16 = 5529;
const BLUES_OF_GREEN: i16 = 10855;
const REDS_OF_GREEN: i16 = 13720;
const REDS_OF_BLUE: i16 = 2664;

/** Fraction bits of samples during the conversion. */
const FRACTION: i16 = 7;
/** Fraction bits of Cb and Cr until they are averaged. */
const COLOUR_FRACTION: i16 = 5;

function weighted(samples: v128, weight: i16): v128 {
  return i16x8.q15mulr_sat_s(samples, i16x8.splat(weight));
}

/** Stores 8 pixels. */
function storeSamples(red: v128, green: v128, blue: v128, luma: usize, blues: usize, reds: usize): void {
  const r = i16x8.shl(red, FRACTION);
  const g = i16x8.shl(green, FRACTION);
  const b = i16x8.shl(blue, FRACTION);
  const y = i16x8.add(i16x8.add(weighted(r, LUMA_OF_RED), weighted(g, LUMA_OF_GREEN)), weighted(b, LUMA_OF_BLUE));
  // Subtracts 128 and adds half a unit for rounding.
  const middle = i16x8.splat(64 - (128 << 7));
  v128.store(luma, i16x8.shr_s(i16x8.add(y, middle), FRACTION));
  const cb = i16x8.sub(i16x8.sub(i16x8.shr_s(b, 1), weighted(r, BLUES_OF_RED)), weighted(g, BLUES_OF_GREEN));
  const cr = i16x8.sub(i16x8.sub(i16x8.shr_s(r, 1), weighted(g, REDS_OF_GREEN)), weighted(b, REDS_OF_BLUE));
  const half = i16x8.splat(1 << (FRACTION - COLOUR_FRACTION - 1));
  v128.store(blues, i16x8.shr_s(i16x8.add(cb, half), FRACTION - COLOUR_FRACTION));
  v128.store(reds, i16x8.shr_s(i16x8.add(cr, half), FRACTION - COLOUR_FRACTION));
}

/** Each returns the samples of one colour of 16 pixels, whose RGB samples are in three vectors. */
function redOf(a: v128, b: v128, c: v128): v128 {
  return i8x16.shuffle(
    i8x16.shuffle(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0),
    c,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    17,
    20,
    23,
    26,
    29,
  );
}

function greenOf(a: v128, b: v128, c: v128): v128 {
  return i8x16.shuffle(
    i8x16.shuffle(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0),
    c,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    18,
    21,
    24,
    27,
    30,
  );
}

function blueOf(a: v128, b: v128, c: v128): v128 {
  return i8x16.shuffle(
    i8x16.shuffle(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0),
    c,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    16,
    19,
    22,
    25,
    28,
    31,
  );
}

/**
 * Converts a line of RGB.
 * @param count pixels; up to 15 more are read and written
 * @param luma receives the luma samples
 * @param blues and `reds` receive Cb and Cr, with a fraction of `COLOUR_FRACTION` bits
 */
export function readRgb(pixels: usize, count: i32, luma: usize, blues: usize, reds: usize): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const from = pixels + x * 3;
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const red = redOf(a, b, c);
    const green = greenOf(a, b, c);
    const blue = blueOf(a, b, c);
    const at = x << 1;
    storeSamples(
      i16x8.extend_low_i8x16_u(red),
      i16x8.extend_low_i8x16_u(green),
      i16x8.extend_low_i8x16_u(blue),
      luma + at,
      blues + at,
      reds + at,
    );
    storeSamples(
      i16x8.extend_high_i8x16_u(red),
      i16x8.extend_high_i8x16_u(green),
      i16x8.extend_high_i8x16_u(blue),
      luma + at + 16,
      blues + at + 16,
      reds + at + 16,
    );
  }
}

/**
 * Converts a line of grey.
 * @param count pixels; up to 15 more are read and written
 */
export function readGrey(pixels: usize, count: i32, luma: usize): void {
  const middle = i16x8.splat(128);
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const line = v128.load(pixels + x);
    v128.store(luma + (x << 1), i16x8.sub(i16x8.extend_low_i8x16_u(line), middle));
    v128.store(luma + (x << 1), i16x8.sub(i16x8.extend_high_i8x16_u(line), middle), 16);
  }
}

/**
 * Repeats the last sample of a line up to `length`.
 * @param count existing samples
 */
export function fillLine(line: usize, count: i32, length: i32): void {
  const last = load<i16>(line + ((<usize>(count - 1)) << 1));
  for (let x = <usize>count; x < <usize>length; x++) store<i16>(line + (x << 1), last);
}

/**
 * Rounds Cb or Cr samples to whole numbers.
 * @param count a multiple of 8
 */
export function roundLine(line: usize, count: i32, out: usize): void {
  const half = i16x8.splat(1 << (COLOUR_FRACTION - 1));
  for (let x: usize = 0; x < (<usize>count) << 1; x += 16)
    v128.store(out + x, i16x8.shr_s(i16x8.add(v128.load(line + x), half), COLOUR_FRACTION));
}

/**
 * Averages pairs of samples in a line.
 * @param count of the result, a multiple of 8
 */
export function halveLine(line: usize, count: i32, out: usize): void {
  const half = i16x8.splat(1 << COLOUR_FRACTION);
  for (let x: usize = 0; x < (<usize>count) << 1; x += 16)
    v128.store(out + x, i16x8.shr_s(i16x8.add(pairSums(line + (x << 1)), half), COLOUR_FRACTION + 1));
}

/**
 * Averages groups of 2 x 2 samples in two lines.
 * @param count of the result, a multiple of 8
 */
export function quarterLines(first: usize, second: usize, count: i32, out: usize): void {
  const half = i16x8.splat(1 << (COLOUR_FRACTION + 1));
  for (let x: usize = 0; x < (<usize>count) << 1; x += 16) {
    const sum = i16x8.add(pairSums(first + (x << 1)), pairSums(second + (x << 1)));
    v128.store(out + x, i16x8.shr_s(i16x8.add(sum, half), COLOUR_FRACTION + 2));
  }
}

/** Returns the sums of 8 pairs of samples: at most 2^14, because a sample has 7 bits and a fraction. */
export function pairSums(at: usize): v128 {
  const a = v128.load(at);
  const b = v128.load(at, 16);
  const even = i8x16.shuffle(a, b, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
  const odd = i8x16.shuffle(a, b, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
  return i16x8.add(even, odd);
}
