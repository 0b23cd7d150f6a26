/** Predicts luma as a whole macroblock. */
import { sumOfLanes } from '../../assembly/vectors';
import { AFTER_AVERAGES, AVERAGES, costOfLevels } from './coefficients';
import { costOfLumaMode } from './modes';
import { lumaBuffer, usedAbove, usedLeft } from './neighbours';
import { lumaPitch, SIDE } from './planes';
import { MODES, PITCH, predictSquare } from './predict';
import { LUMA, LUMA_AVERAGES, quantize, quantizerOf, squaredError, stepOf } from './quantize';
import { BLOCK, BLOCKS, forwardPair, hadamardLambdaOf, hadamardSum, lambdaOf, TRELLIS_SHARE } from './score';
import { forwardWalsh, inverseWalsh, reconstructPair } from './transform';
import { optimize } from './trellis';

const predictions: usize = memory.data(MODES * 256, 16);
const coefficients: usize = memory.data(16 * 32, 16);
const restored: usize = memory.data(16 * 32, 16);
const averages: usize = memory.data(32, 16);
const restoredAverages: usize = memory.data(32, 16);
const restoredFirsts: usize = memory.data(32, 16);
/** Whether the blocks above and to the left have levels. */
const above: usize = memory.data(4);
const left: usize = memory.data(4);
const reconstructed: usize = memory.data(16 * 32, 16);

/** The result: levels, and the place of the last level of each block (8 bits with sign). */
export const averageLevels: usize = memory.data(32, 16);
export let lastAverage: i32 = -1;
export const wholeLevels: usize = memory.data(16 * 32, 16);
export const wholeLasts: usize = memory.data(16);
export let wholeMode: i32 = 0;

/** @returns the score of the best mode */
export function tryWhole(source: usize, segment: i32, x: i32, y: i32): f32 {
  predictSquare(lumaBuffer, 16, y > 0, x > 0, predictions);
  wholeMode = chooseLumaMode(source, hadamardLambdaOf(stepOf(quantizerOf(segment, LUMA))));
  return codeLuma(source, wholeMode, segment, usedAbove(x));
}

/** Copies the reconstructed samples into the macroblock. */
export function takeWhole(): void {
  for (let line: usize = 0; line < SIDE; line++)
    v128.store(lumaBuffer + line * PITCH, v128.load(reconstructed + line * PITCH));
}

/** Chooses the mode with the smallest sum. */
function chooseLumaMode(source: usize, lambda: f32): i32 {
  let best = 0;
  let least = f32.MAX_VALUE;
  for (let mode = 0; mode < MODES; mode++) {
    let lanes = i32x4.splat(0);
    for (let line: usize = 0; line < SIDE; line += 4)
      for (let column: usize = 0; column < SIDE; column += 8)
        lanes = i32x4.add(
          lanes,
          hadamardSum(
            source + line * lumaPitch() + column,
            lumaPitch(),
            predictions + <usize>mode * 256 + line * 16 + column,
          ),
        );
    const score = <f32>sumOfLanes(lanes) + lambda * <f32>costOfLumaMode(mode);
    if (score >= least) continue;
    least = score;
    best = mode;
  }
  return best;
}

/** @returns the score of a mode */
function codeLuma(source: usize, mode: i32, segment: i32, used: usize): f32 {
  const lambda = lambdaOf(stepOf(quantizerOf(segment, LUMA)));
  const prediction = predictions + <usize>mode * 256;
  for (let line: usize = 0; line < SIDE; line += 4)
    for (let column: usize = 0; column < SIDE; column += 8)
      forwardPair(
        source + line * lumaPitch() + column,
        lumaPitch(),
        prediction + line * 16 + column,
        coefficients + (line + (column >> 2)) * BLOCK,
      );
  forwardWalsh(coefficients, BLOCK, averages);
  lastAverage = quantize(averages, quantizerOf(segment, LUMA_AVERAGES), averageLevels, restoredAverages);
  const context = <i32>load<u8>(used, 8) + <i32>load<u8>(usedLeft, 8);
  const cost = costOfLevels(averageLevels, 0, lastAverage, AVERAGES, context) + costOfLumaMode(mode);
  inverseWalsh(restoredAverages, restoredFirsts, 2);
  store<u32>(above, load<u32>(used));
  store<u32>(left, load<u32>(usedLeft));
  let score = lambda * <f32>cost;
  for (let block: usize = 0; block < BLOCKS; block++) score += codeBlock(block, quantizerOf(segment, LUMA), lambda);
  for (let line: usize = 0; line < SIDE; line += 4)
    for (let column: usize = 0; column < SIDE; column += 8)
      reconstructPair(
        restored + (line + (column >> 2)) * BLOCK,
        prediction + line * 16 + column,
        reconstructed + line * PITCH + column,
        PITCH,
      );
  return score;
}

/**
 * Codes a block whose first coefficient is coded with the averages.
 * @returns its score
 */
function codeBlock(block: usize, quantizer: usize, lambda: f32): f32 {
  const own = coefficients + block * BLOCK;
  const levels = wholeLevels + block * BLOCK;
  const result = restored + block * BLOCK;
  const first = <i32>load<i16>(own) - <i32>load<i16>(restoredFirsts + block * 2);
  store<i16>(own, 0);
  const top = above + (block & 3);
  const side = left + (block >> 2);
  const context = <i32>load<u8>(top) + <i32>load<u8>(side);
  let last = quantize(own, quantizer, levels, result);
  if (last > 0)
    last = optimize(own, quantizer, levels, result, 1, last, AFTER_AVERAGES, context, lambda * TRELLIS_SHARE);
  const error = first * first + squaredError(own, result);
  store<u8>(top, last > 0 ? 1 : 0);
  store<u8>(side, last > 0 ? 1 : 0);
  store<i8>(wholeLasts + block, <i8>last);
  store<i16>(result, load<i16>(restoredFirsts + block * 2));
  return <f32>error + lambda * <f32>costOfLevels(levels, 1, last, AFTER_AVERAGES, context);
}
