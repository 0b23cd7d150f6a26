/** What is compared when modes and levels are chosen. */
import { forward, hadamard } from './transform';

/** A 4 x 4 block as 16 numbers of 16 bits, and how many a macroblock has. */
export const BLOCK: usize = 32;
export const BLOCKS: usize = 16;

/** Errors of coefficients that a 1/256 bit is worth: the step squared, times this. */
const LAMBDA: f32 = 3.0 / 8192.0;
/** When levels are chosen, bits are worth less than when modes are: the texture that goes with them is seen. */
export const TRELLIS_SHARE: f32 = 0.4;
/** Hadamard sums that a 1/256 bit is worth: the step, times this. */
const HADAMARD_LAMBDA: f32 = 0.4 / 256.0;

export function lambdaOf(step: i32): f32 {
  return LAMBDA * <f32>step * <f32>step;
}
export function hadamardLambdaOf(step: i32): f32 {
  return HADAMARD_LAMBDA * <f32>step;
}

/** Of two blocks beside each other. @param prediction 16 bytes from a line to the next */
export function hadamardSum(source: usize, sourcePitch: usize, prediction: usize): v128 {
  return hadamard(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
  );
}

/** Of two blocks beside each other. */
export function forwardPair(source: usize, sourcePitch: usize, prediction: usize, out: usize): void {
  forward(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
    out,
  );
}
