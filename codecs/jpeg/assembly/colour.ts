/**
 * Converts lines of component samples to lines of pixels, with the arithmetic of libjpeg (JFIF 1.02, "Colour space").
 */
import { highPairs, lowPairs } from '../../assembly/vectors';

/** 2^16 times 1.402 - 1, 0.34414 and 1 - 0.71414. */
const RED_OF_CR: i32 = 26345;
const GREEN_OF_CB: i32 = -22554;
const GREEN_OF_CR: i32 = 18734;
/** 2^15 times 2 - 1.772. */
const BLUE_OF_CB: i32 = 7471;

// Each function adds the chroma of 8 pixels to their luma.
function redOf(luma: v128, cr: v128): v128 {
  const two = i16x8.splat(2);
  const half = i32x4.splat((16384 << 16) | RED_OF_CR);
  const low = i32x4.dot_i16x8_s(lowPairs(cr, two), half);
  const high = i32x4.dot_i16x8_s(highPairs(cr, two), half);
  const part = i16x8.narrow_i32x4_s(i32x4.shr_s(low, 16), i32x4.shr_s(high, 16));
  return i16x8.add(i16x8.add(luma, cr), part);
}

function greenOf(luma: v128, cb: v128, cr: v128): v128 {
  const factors = i32x4.splat((GREEN_OF_CR << 16) | (GREEN_OF_CB & 0xffff));
  const half = i32x4.splat(1 << 15);
  const low = i32x4.add(i32x4.dot_i16x8_s(lowPairs(cb, cr), factors), half);
  const high = i32x4.add(i32x4.dot_i16x8_s(highPairs(cb, cr), factors), half);
  const part = i16x8.narrow_i32x4_s(i32x4.shr_s(low, 16), i32x4.shr_s(high, 16));
  return i16x8.add(i16x8.sub(luma, cr), part);
}

function blueOf(luma: v128, cb: v128): v128 {
  const part = i16x8.q15mulr_sat_s(cb, i16x8.splat(<i16>-BLUE_OF_CB));
  return i16x8.add(i16x8.add(luma, i16x8.shl(cb, 1)), part);
}

/** Stores 16 pixels in 48 bytes. */
function storeTriples(out: usize, red: v128, green: v128, blue: v128): void {
  const first = i8x16.shuffle(red, green, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  v128.store(out, i8x16.shuffle(first, blue, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  const second = i8x16.shuffle(red, green, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  v128.store(out, i8x16.shuffle(second, blue, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16);
  const third = i8x16.shuffle(red, green, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  v128.store(out, i8x16.shuffle(third, blue, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32);
}

/** @param count pixels; up to 15 more are read and written */
export function storeRgbOfYcc(out: usize, luma: usize, blues: usize, reds: usize, count: i32): void {
  const middle = i16x8.splat(128);
  for (let x: usize = 0; x < <usize>count; x += 16) {
    const y = v128.load(luma + x);
    const b = v128.load(blues + x);
    const r = v128.load(reds + x);
    const lowY = i16x8.extend_low_i8x16_u(y);
    const lowB = i16x8.sub(i16x8.extend_low_i8x16_u(b), middle);
    const lowR = i16x8.sub(i16x8.extend_low_i8x16_u(r), middle);
    const highY = i16x8.extend_high_i8x16_u(y);
    const highB = i16x8.sub(i16x8.extend_high_i8x16_u(b), middle);
    const highR = i16x8.sub(i16x8.extend_high_i8x16_u(r), middle);
    storeTriples(
      out,
      i8x16.narrow_i16x8_u(redOf(lowY, lowR), redOf(highY, highR)),
      i8x16.narrow_i16x8_u(greenOf(lowY, lowB, lowR), greenOf(highY, highB, highR)),
      i8x16.narrow_i16x8_u(blueOf(lowY, lowB), blueOf(highY, highB)),
    );
    out += 48;
  }
}

export function storeRgb(out: usize, red: usize, green: usize, blue: usize, count: i32): void {
  for (let x: usize = 0; x < <usize>count; x += 16) {
    storeTriples(out, v128.load(red + x), v128.load(green + x), v128.load(blue + x));
    out += 48;
  }
}

export function storeQuadruples(
  out: usize,
  first: usize,
  second: usize,
  third: usize,
  fourth: usize,
  count: i32,
): void {
  for (let x: usize = 0; x < <usize>count; x++) {
    store<u8>(out, load<u8>(first + x));
    store<u8>(out, load<u8>(second + x), 1);
    store<u8>(out, load<u8>(third + x), 2);
    store<u8>(out, load<u8>(fourth + x), 3);
    out += 4;
  }
}

/**
 * Converts Y, Cb and Cr to RGB and inverts it; copies K unchanged.
 * @param count pixels; up to 7 more are read and written
 */
export function storeCmykOfYcck(out: usize, luma: usize, blues: usize, reds: usize, blacks: usize, count: i32): void {
  const middle = i16x8.splat(128);
  const white = i8x16.splat(-1);
  for (let x: usize = 0; x < <usize>count; x += 8) {
    const y = v128.load8x8_u(luma + x);
    const cb = i16x8.sub(v128.load8x8_u(blues + x), middle);
    const cr = i16x8.sub(v128.load8x8_u(reds + x), middle);
    // Cyan and magenta in the first vector, yellow in the second.
    const first = v128.xor(i8x16.narrow_i16x8_u(redOf(y, cr), greenOf(y, cb, cr)), white);
    const blue = blueOf(y, cb);
    const yellow = v128.xor(i8x16.narrow_i16x8_u(blue, blue), white);
    const second = v128.load64_lane(blacks + x, yellow, 1);
    const cm = i8x16.shuffle(first, first, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const yk = i8x16.shuffle(second, second, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    v128.store(out, lowPairs(cm, yk));
    v128.store(out, highPairs(cm, yk), 16);
    out += 32;
  }
}
