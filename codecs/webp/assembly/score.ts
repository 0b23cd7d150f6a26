/** Scores for the choice of modes and levels. */
import { forward, hadamard } from './transform';

/** Bytes of a 4 x 4 block of 16-bit numbers, and blocks per macroblock. */
export const BLOCK: usize = 32;
export const BLOCKS: usize = 16;

/** Squared errors of coefficients that are worth a 1/256 bit: the square of the step, times this. */
const LAMBDA: f32 = 3.0 / 8192.0;
/**
 * Bits are worth less when levels are chosen than when modes are, because the texture lost with the levels is visible.
 */
export const TRELLIS_SHARE: f32 = 0.4;
/** Hadamard sums that are worth a 1/256 bit: the step, times this. */
const HADAMARD_LAMBDA: f32 = 0.4 / 256.0;

export function lambdaOf(step: i32): f32 {
  return LAMBDA * <f32>step * <f32>step;
}
export function hadamardLambdaOf(step: i32): f32 {
  return HADAMARD_LAMBDA * <f32>step;
}

/**
 * Returns the Hadamard sums of two adjacent blocks.
 * @param prediction 16 bytes from one line to the next
 */
export function hadamardSum(source: usize, sourcePitch: usize, prediction: usize): v128 {
  return hadamard(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
  );
}

/** Transforms the residuals of two adjacent blocks. */
export function forwardPair(source: usize, sourcePitch: usize, prediction: usize, out: usize): void {
  forward(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
    out,
  );
}
