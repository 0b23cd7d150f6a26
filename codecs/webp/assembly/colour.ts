/** Codes the two chroma planes of a macroblock. */
import { sumOfLanes } from '../../assembly/vectors';
import { costOfColourMode } from './modes';
import { bluesBuffer, redsBuffer } from './neighbours';
import { bluesAt, COLOUR_SIDE, colourPitch, redsAt } from './planes';
import { MODES, PITCH, predictSquare } from './predict';
import { COLOUR, quantize, quantizerOf, stepOf } from './quantize';
import { BLOCK, forwardPair, hadamardLambdaOf, hadamardSum } from './score';
import { reconstructPair } from './transform';

const bluesPredictions: usize = memory.data(MODES * 128 + 16, 16);
const redsPredictions: usize = memory.data(MODES * 128 + 16, 16);
const coefficients: usize = memory.data(2 * 32, 16);
const restored: usize = memory.data(2 * 32, 16);

/** The result: levels, and the place of the last level of each block (8 bits with sign). */
export const colourLevels: usize = memory.data(8 * 32, 16);
export const colourLasts: usize = memory.data(8);

/** @returns the chosen mode */
export function codeColour(x: i32, y: i32, segment: i32): i32 {
  predictSquare(bluesBuffer, 8, y > 0, x > 0, bluesPredictions);
  predictSquare(redsBuffer, 8, y > 0, x > 0, redsPredictions);
  const quantizer = quantizerOf(segment, COLOUR);
  const mode = chooseColourMode(x, y, hadamardLambdaOf(stepOf(quantizer)));
  codePlane(bluesAt(x, y), bluesPredictions + <usize>mode * 128, quantizer, 0, bluesBuffer);
  codePlane(redsAt(x, y), redsPredictions + <usize>mode * 128, quantizer, 4, redsBuffer);
  return mode;
}

function chooseColourMode(x: i32, y: i32, lambda: f32): i32 {
  const pitch = colourPitch();
  let best = 0;
  let least = f32.MAX_VALUE;
  for (let mode = 0; mode < MODES; mode++) {
    const at = <usize>mode * 128;
    let lanes = i32x4.splat(0);
    for (let line: usize = 0; line < COLOUR_SIDE; line += 4) {
      lanes = i32x4.add(lanes, hadamardSum(bluesAt(x, y) + line * pitch, pitch, bluesPredictions + at + line * 16));
      lanes = i32x4.add(lanes, hadamardSum(redsAt(x, y) + line * pitch, pitch, redsPredictions + at + line * 16));
    }
    const score = <f32>sumOfLanes(lanes) + lambda * <f32>costOfColourMode(mode);
    if (score >= least) continue;
    least = score;
    best = mode;
  }
  return best;
}

function codePlane(source: usize, prediction: usize, quantizer: usize, from: usize, buffer: usize): void {
  for (let line: usize = 0; line < COLOUR_SIDE; line += 4) {
    forwardPair(source + line * colourPitch(), colourPitch(), prediction + line * 16, coefficients);
    for (let column: usize = 0; column < 2; column++) {
      const block = from + (line >> 1) + column;
      const at = column * BLOCK;
      const last = quantize(coefficients + at, quantizer, colourLevels + block * BLOCK, restored + at);
      store<i8>(colourLasts + block, <i8>last);
    }
    reconstructPair(restored, prediction + line * 16, buffer + line * PITCH, PITCH);
  }
}
