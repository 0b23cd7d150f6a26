/** Predicts luma in blocks of 4 x 4. */
import { highHalves, lowHalves } from '../../assembly/vectors';
import { costOfLevels, WHOLE } from './coefficients';
import { costOfBlocks, costsOfBlockModes } from './modes';
import { lumaBuffer, modesAbove, modesLeft, usedAbove, usedLeft } from './neighbours';
import { lumaPitch } from './planes';
import { BLOCK_MODES, BLOCK_PREDICTIONS, PITCH, predictBlock } from './predict';
import { LUMA, quantize, quantizerOf, squaredError, stepOf } from './quantize';
import { BLOCK, BLOCKS, hadamardLambdaOf, lambdaOf, TRELLIS_SHARE } from './score';
import { forward, hadamard, reconstructBlock } from './transform';
import { optimize } from './trellis';

/**
 * The result: levels, the place of the last level of each block (8 bits with sign), modes, and the cost of the modes.
 */
export const blockLevels: usize = memory.data(16 * 32, 16);
export const blockLasts: usize = memory.data(16);
export const blockModes: usize = memory.data(16);
export let blockModesCost: i32 = 0;

/** Whether the blocks above and to the left have levels, and their modes. */
const above: usize = memory.data(4);
const left: usize = memory.data(4);
const aboveModes: usize = memory.data(4);
const leftModes: usize = memory.data(4);

/** Hadamard sums of the modes of a block. */
const sums: usize = memory.data(BLOCK_MODES * 4, 16);
/** The two modes that are tried. */
let best: usize = 0;
let second: usize = 0;
const coefficients: usize = memory.data(2 * 32, 16);
const restored: usize = memory.data(2 * 32, 16);
const levels: usize = memory.data(2 * 32, 16);

/**
 * Tries prediction by blocks.
 * @returns the score; more than `limit` if it gave up
 */
export function tryBlocks(source: usize, segment: i32, limit: f32, x: i32): f32 {
  const quantizer = quantizerOf(segment, LUMA);
  let score = lambdaOf(stepOf(quantizer)) * <f32>costOfBlocks();
  blockModesCost = costOfBlocks();
  store<u32>(above, load<u32>(usedAbove(x)));
  store<u32>(left, load<u32>(usedLeft));
  store<u32>(aboveModes, load<u32>(modesAbove(x)));
  store<u32>(leftModes, load<u32>(modesLeft));
  for (let block: usize = 0; block < BLOCKS; block++) {
    score += codeBlock(block, source, quantizer);
    if (score > limit) break;
  }
  return score;
}

/** @returns the score of the best mode */
function codeBlock(block: usize, source: usize, quantizer: usize): f32 {
  const column = block & 3;
  const line = block >> 2;
  const at = lumaBuffer + line * 4 * PITCH + column * 4;
  const from = source + line * 4 * lumaPitch() + column * 4;
  let pixels = v128.load32_zero(from);
  pixels = v128.load32_lane(from + lumaPitch(), pixels, 1);
  pixels = v128.load32_lane(from + 2 * lumaPitch(), pixels, 2);
  pixels = v128.load32_lane(from + 3 * lumaPitch(), pixels, 3);
  const costs = costsOfBlockModes(load<u8>(aboveModes + column), load<u8>(leftModes + line));
  predictBlock(at);
  findModes(pixels, costs, hadamardLambdaOf(stepOf(quantizer)));
  transformModes(pixels);

  const lambda = lambdaOf(stepOf(quantizer));
  const context = <i32>load<u8>(above + column) + <i32>load<u8>(left + line);
  const last0 = quantize(coefficients, quantizer, levels, restored);
  const last1 = quantize(coefficients + BLOCK, quantizer, levels + BLOCK, restored + BLOCK);
  const score0 = scoreOf(0, last0, context, load<u16>(costs + best * 2), lambda);
  const score1 = scoreOf(BLOCK, last1, context, load<u16>(costs + second * 2), lambda);
  const takesFirst = score0 <= score1;
  const chosen: usize = takesFirst ? 0 : BLOCK;
  const mode = takesFirst ? best : second;
  let last = takesFirst ? last0 : last1;
  let score = takesFirst ? score0 : score1;
  if (last >= 0) {
    const own = coefficients + chosen;
    last = optimize(
      own,
      quantizer,
      levels + chosen,
      restored + chosen,
      0,
      last,
      WHOLE,
      context,
      lambda * TRELLIS_SHARE,
    );
    score = scoreOf(chosen, last, context, load<u16>(costs + mode * 2), lambda);
  }
  v128.store(blockLevels + block * BLOCK, v128.load(levels + chosen));
  v128.store(blockLevels + block * BLOCK, v128.load(levels + chosen, 16), 16);
  store<i8>(blockLasts + block, <i8>last);
  store<u8>(blockModes + block, <u8>mode);
  blockModesCost += load<u16>(costs + mode * 2);
  store<u8>(above + column, last >= 0 ? 1 : 0);
  store<u8>(left + line, last >= 0 ? 1 : 0);
  store<u8>(aboveModes + column, <u8>mode);
  store<u8>(leftModes + line, <u8>mode);
  reconstructBlock(restored + chosen, BLOCK_PREDICTIONS + mode * 16, at, PITCH);
  return score;
}

function scoreOf(at: usize, last: i32, context: i32, modeCost: i32, lambda: f32): f32 {
  const cost = costOfLevels(levels + at, 0, last, WHOLE, context) + modeCost;
  return <f32>squaredError(coefficients + at, restored + at) + lambda * <f32>cost;
}

/**
 * Finds the two modes with the smallest sums.
 * @param pixels 16
 * @param costs of the modes
 */
function findModes(pixels: v128, costs: usize, lambda: f32): void {
  for (let mode: usize = 0; mode < <usize>BLOCK_MODES; mode += 2) sumPair(pixels, mode);
  let least = f32.MAX_VALUE;
  let next = f32.MAX_VALUE;
  best = 0;
  second = 1;
  for (let mode: usize = 0; mode < <usize>BLOCK_MODES; mode++) {
    const own = <f32>load<i32>(sums + mode * 4) + lambda * <f32>load<u16>(costs + mode * 2);
    if (own < least) {
      second = best;
      next = least;
      best = mode;
      least = own;
    } else if (own < next) {
      second = mode;
      next = own;
    }
  }
}

/** Return the residuals of the upper and the lower half of a block. */
function upperOf(pixels: v128, mode: usize): v128 {
  const prediction = v128.load(BLOCK_PREDICTIONS + mode * 16);
  return i16x8.sub(i16x8.extend_low_i8x16_u(pixels), i16x8.extend_low_i8x16_u(prediction));
}
function lowerOf(pixels: v128, mode: usize): v128 {
  const prediction = v128.load(BLOCK_PREDICTIONS + mode * 16);
  return i16x8.sub(i16x8.extend_high_i8x16_u(pixels), i16x8.extend_high_i8x16_u(prediction));
}

/** Computes the sums of a mode and the next one. */
function sumPair(pixels: v128, mode: usize): void {
  const p0 = upperOf(pixels, mode);
  const p1 = lowerOf(pixels, mode);
  const q0 = upperOf(pixels, mode + 1);
  const q1 = lowerOf(pixels, mode + 1);
  const lanes = hadamard(lowHalves(p0, q0), highHalves(p0, q0), lowHalves(p1, q1), highHalves(p1, q1));
  store<i32>(sums + mode * 4, i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1));
  store<i32>(sums + mode * 4, i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3), 4);
}

function transformModes(pixels: v128): void {
  const p0 = upperOf(pixels, best);
  const p1 = lowerOf(pixels, best);
  const q0 = upperOf(pixels, second);
  const q1 = lowerOf(pixels, second);
  forward(lowHalves(p0, q0), highHalves(p0, q0), lowHalves(p1, q1), highHalves(p1, q1), coefficients);
}
