/** Quantizes the coefficients of a block (RFC 6386, 14.1). */
import { sumOfLanes } from '../../assembly/vectors';
import { AC_STEPS, DC_STEPS } from './tables';

/**
 * Layout of a quantizer: 16 steps, their 16 inverses, 16 bits each, and the numbers that are added before rounding
 * down, 32 bits each.
 */
const INVERSES: usize = 32;
const ROUNDING: usize = 64;
const QUANTIZER_BYTES: usize = 96;

/** Fraction bits of the inverses. */
export const INVERSE_BITS: i32 = 17;

/** Kinds of blocks; each has its own quantizer. */
export const LUMA: i32 = 0;
export const LUMA_AVERAGES: i32 = 1;
export const COLOUR: i32 = 2;
const KINDS: usize = 3;

/** A level has at most 11 bits (RFC 6386, 13.2). */
export const MAX_LEVEL: i32 = 2047;
const MAX_INDEX: i32 = 127;
/** Largest step of the first coefficient of chroma (14.1: at most 132). */
const MAX_COLOUR_STEP: i32 = 132;
const MIN_AVERAGE_STEP: i32 = 8;

/** Numbers that are added before a level is rounded down, in 1/256: for the first coefficient, and for the others. */
const ROUNDINGS: usize = memory.data<u8>([96, 110, 96, 108, 110, 115]);

const SEGMENTS: usize = 4;
const quantizers: usize = memory.data(<i32>(SEGMENTS * KINDS * QUANTIZER_BYTES), 16);

export function quantizerOf(segment: i32, kind: i32): usize {
  return quantizers + (<usize>segment * KINDS + <usize>kind) * QUANTIZER_BYTES;
}

/** Returns the step of the coefficients after the first. */
export function stepOf(quantizer: usize): i32 {
  return load<u16>(quantizer, 2);
}

/** Returns the step of a place in zigzag order. */
export function stepAt(quantizer: usize, place: i32): i32 {
  return load<u16>(quantizer + (place === 0 ? 0 : 2));
}
/** Returns 2^17 divided by that step. */
export function inverseOf(quantizer: usize, place: i32): i32 {
  return load<u16>(quantizer + (place === 0 ? 0 : 2), INVERSES);
}

function clampIndex(index: i32): i32 {
  return min(max(index, 0), MAX_INDEX);
}

function dcStep(index: i32): i32 {
  return load<u8>(DC_STEPS + <usize>clampIndex(index));
}

/** Returns the step of the coefficients after the first, by quantizer index. */
export function acStep(index: i32): i32 {
  return load<u16>(AC_STEPS + ((<usize>clampIndex(index)) << 1));
}

/** Returns the index of the quantizer with the largest step that is not above `step`. */
export function indexOfStep(step: f32): i32 {
  let index = 0;
  while (index < MAX_INDEX && <f32>acStep(index + 1) <= step) index += 1;
  return index;
}

function setQuantizer(segment: i32, kind: i32, dc: i32, ac: i32): void {
  const at = quantizerOf(segment, kind);
  for (let place: usize = 0; place < 16; place++) {
    const step = place === 0 ? dc : ac;
    const rounding = <i32>load<u8>(ROUNDINGS + <usize>(kind * 2 + (place === 0 ? 0 : 1)));
    store<u16>(at + place * 2, <u16>step);
    const inverse: i32 = (1 << INVERSE_BITS) / step;
    store<u16>(at + place * 2, <u16>inverse, INVERSES);
    if (place < 8) store<i32>(at + place * 4, rounding << (INVERSE_BITS - 8), ROUNDING);
  }
}

/** @param colourDc added to the index for the first coefficients of chroma; `colourAc` for the others */
export function setQuantizers(segment: i32, index: i32, colourDc: i32, colourAc: i32): void {
  setQuantizer(segment, LUMA, dcStep(index), acStep(index));
  setQuantizer(segment, LUMA_AVERAGES, 2 * dcStep(index), max(MIN_AVERAGE_STEP, (acStep(index) * 155) / 100));
  setQuantizer(segment, COLOUR, min(MAX_COLOUR_STEP, dcStep(index + colourDc)), acStep(index + colourAc));
}

function levelsOf(magnitudes: v128, inverses: v128, low: v128, high: v128): v128 {
  const first = i32x4.add(i32x4.extmul_low_i16x8_u(magnitudes, inverses), low);
  const second = i32x4.add(i32x4.extmul_high_i16x8_u(magnitudes, inverses), high);
  const levels = i16x8.narrow_i32x4_s(i32x4.shr_u(first, INVERSE_BITS), i32x4.shr_u(second, INVERSE_BITS));
  return i16x8.min_s(levels, i16x8.splat(<i16>MAX_LEVEL));
}

function withSign(levels: v128, sign: v128): v128 {
  return i16x8.sub(v128.xor(levels, sign), sign);
}

/**
 * Quantizes a block.
 * @param coefficients 16, in columns
 * @param levels receives the levels in zigzag order
 * @param restored receives the dequantized coefficients, in columns
 * @returns the place of the last level that is not 0; -1 if all are 0
 */
export function quantize(coefficients: usize, quantizer: usize, levels: usize, restored: usize): i32 {
  const c0 = v128.load(coefficients);
  const c1 = v128.load(coefficients, 16);
  const sign0 = i16x8.shr_s(c0, 15);
  const sign1 = i16x8.shr_s(c1, 15);
  const rounding = v128.load(quantizer, ROUNDING);
  const rest = v128.load(quantizer, ROUNDING + 16);
  const l0 = withSign(levelsOf(i16x8.abs(c0), v128.load(quantizer, INVERSES), rounding, rest), sign0);
  const l1 = withSign(levelsOf(i16x8.abs(c1), v128.load(quantizer, INVERSES + 16), rest, rest), sign1);
  v128.store(restored, i16x8.mul(l0, v128.load(quantizer)));
  v128.store(restored, i16x8.mul(l1, v128.load(quantizer, 16)), 16);
  // Places 0, 4, 1, 2, 5, 8, 12, 9, then 6, 3, 7, 10, 13, 14, 11, 15.
  const z0 = i8x16.shuffle(l0, l1, 0, 1, 8, 9, 2, 3, 4, 5, 10, 11, 16, 17, 24, 25, 18, 19);
  const z1 = i8x16.shuffle(l0, l1, 12, 13, 6, 7, 14, 15, 20, 21, 26, 27, 28, 29, 22, 23, 30, 31);
  v128.store(levels, z0);
  v128.store(levels, z1, 16);
  const zero = i16x8.splat(0);
  const used = i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.ne(z0, zero), i16x8.ne(z1, zero)));
  return 31 - clz<i32>(used);
}

/** Returns the sum of the squared differences of 16 coefficients. */
export function squaredError(a: usize, b: usize): i32 {
  const d0 = i16x8.sub(v128.load(a), v128.load(b));
  const d1 = i16x8.sub(v128.load(a, 16), v128.load(b, 16));
  const sum = i32x4.add(i32x4.dot_i16x8_s(d0, d0), i32x4.dot_i16x8_s(d1, d1));
  return sumOfLanes(sum);
}
