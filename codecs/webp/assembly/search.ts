/** Chooses how each macroblock is predicted, and its levels: by the errors that they leave and by what they cost. */

import { reserve } from '../../assembly/memory';
import { highHalves, lowHalves } from '../../assembly/vectors';
import { AFTER_AVERAGES, AVERAGES, codeLevels, costOfLevels, OF_COLOUR, WHOLE } from './coefficients';
import { costOfBlocks, costOfColourMode, costOfLumaMode, costsOfBlockModes } from './modes';
import {
  bluesAt,
  COLOUR_SIDE,
  colourPitch,
  lumaAt,
  lumaPitch,
  macroblocksAcross,
  macroblocksDown,
  redsAt,
  SIDE,
} from './planes';
import { BLOCK_MODES, BLOCK_PREDICTIONS, MODES, PITCH, predictBlock, predictSquare } from './predict';
import { COLOUR, LUMA, LUMA_AVERAGES, quantize, quantizerOf, squaredError, stepOf } from './quantize';
import { forward, forwardWalsh, hadamard, inverseWalsh, reconstructBlock, reconstructPair } from './transform';
import { optimize } from './trellis';

/** A 4 x 4 block as 16 numbers of 16 bits. */
const BLOCK: usize = 32;
const BLOCKS: usize = 16;
const COLOUR_BLOCKS: usize = 8;

/** Samples above and at the left of a macroblock that reconstruction begins with (RFC 6386, 12.2 and 12.3). */
const ABOVE: u8 = 127;
const LEFT: u8 = 129;

/** Reconstructed samples with those around them: 17 lines. */
const BUFFER: i32 = 18 * 32;
const lumaBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;
const bluesBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;
const redsBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;
/** The same of a macroblock predicted as a whole, without those around it. */
const wholeBuffer: usize = memory.data(BUFFER, 16);

const predictions: usize = memory.data(MODES * 256, 16);
const bluesPredictions: usize = memory.data(MODES * 128 + 16, 16);
const redsPredictions: usize = memory.data(MODES * 128 + 16, 16);

const coefficients: usize = memory.data(16 * 32, 16);
const restored: usize = memory.data(16 * 32, 16);
const averages: usize = memory.data(32, 16);
const restoredAverages: usize = memory.data(32, 16);
const restoredFirsts: usize = memory.data(32, 16);

/** Levels of a macroblock predicted as a whole, then those of one predicted by blocks, then of colour. */
const averageLevels: usize = memory.data(32, 16);
const wholeLevels: usize = memory.data(16 * 32, 16);
const blockLevels: usize = memory.data(16 * 32, 16);
const colourLevels: usize = memory.data(8 * 32, 16);
/** Place of the last level of each of them, 8 bits with sign. */
const wholeLasts: usize = memory.data(16);
const blockLasts: usize = memory.data(16);
const colourLasts: usize = memory.data(8);
const blockModes: usize = memory.data(16);
let blockModesCost: i32 = 0;

/** Samples of the line above all macroblocks, and whether blocks of it have levels: 4 of luma, 2 and 2 of colour, and the averages. */
let linesAbove: usize = 0;
let bluesAbove: usize = 0;
let redsAbove: usize = 0;
let usedAbove: usize = 0;
/** Modes of the blocks above, 4 each. */
let modesAbove: usize = 0;
const USED: usize = 9;
const usedLeft: usize = memory.data(9);
const modesLeft: usize = memory.data(4);
/** What the modes of the macroblocks so far cost, in 1/256 bits. */
let modeCost: i64 = 0;
let coded: i32 = 0;
/** Copies that are changed while blocks are tried. */
const triedAbove: usize = memory.data(4);
const triedLeft: usize = memory.data(4);
const triedModesAbove: usize = memory.data(4);
const triedModesLeft: usize = memory.data(4);

/** What a macroblock is: segment, whether it has no levels, whether it is predicted by blocks, modes of luma and colour; then those of 16 blocks. */
export const RECORD: usize = 24;
export const RECORD_SKIPPED: usize = 1;
export const RECORD_BY_BLOCKS: usize = 2;
export const RECORD_MODE: usize = 3;
export const RECORD_COLOUR_MODE: usize = 4;
export const RECORD_BLOCK_MODES: usize = 8;

/** Bits of the first partition (RFC 6386, 9.1), which holds the modes. */
const MAX_MODE_BITS: i64 = 8 << 19;
/** Segment and whether there are levels: what they cost at most, as averages. */
const COST_BESIDE_MODES: i32 = 4 * 256;

/** Bytes that the levels of a macroblock take at most: their number, and 16 bits each. */
export const MAX_LEVEL_BYTES: usize = 25 * (1 + 32);

/** Errors of coefficients that a 1/256 bit is worth: the step squared, times this. */
const LAMBDA: f32 = 3.0 / 8192.0;
/** When levels are chosen, bits are worth less than when modes are: the texture that goes with them is seen. */
const TRELLIS_SHARE: f32 = 0.4;
/** Hadamard sums that a 1/256 bit is worth: the step, times this. */
const HADAMARD_LAMBDA: f32 = 0.4 / 256.0;

/** @returns whether there is memory for it */
export function startSearch(): bool {
  const across = <usize>macroblocksAcross();
  linesAbove = reserve(across * SIDE + 16);
  bluesAbove = reserve(across * COLOUR_SIDE + 16);
  redsAbove = reserve(across * COLOUR_SIDE + 16);
  usedAbove = reserve(across * USED);
  modesAbove = reserve(across * 4);
  if (linesAbove === 0 || bluesAbove === 0 || redsAbove === 0 || usedAbove === 0 || modesAbove === 0) return false;
  modeCost = 0;
  coded = 0;
  memory.fill(linesAbove, ABOVE, across * SIDE + 16);
  memory.fill(bluesAbove, ABOVE, across * COLOUR_SIDE + 16);
  memory.fill(redsAbove, ABOVE, across * COLOUR_SIDE + 16);
  memory.fill(usedAbove, 0, across * USED);
  memory.fill(modesAbove, 0, across * 4);
  return true;
}

function fillLeft(buffer: usize, side: i32, y: i32): void {
  store<u8>(buffer - PITCH - 1, y === 0 ? ABOVE : LEFT);
  for (let line = 0; line < side; line++) store<u8>(buffer + <usize>line * PITCH - 1, LEFT);
}

/** Before the first macroblock of a line. */
export function startLine(y: i32): void {
  fillLeft(lumaBuffer, 16, y);
  fillLeft(bluesBuffer, 8, y);
  fillLeft(redsBuffer, 8, y);
  memory.fill(usedLeft, 0, USED);
  memory.fill(modesLeft, 0, 4);
}

/** The last column of a macroblock is what is left of the next one, and its last line what is above the one below. */
function moveOn(buffer: usize, side: usize, above: usize): void {
  store<u8>(buffer - PITCH - 1, load<u8>(buffer - PITCH + side - 1));
  for (let line: usize = 0; line < side; line++)
    store<u8>(buffer + line * PITCH - 1, load<u8>(buffer + line * PITCH + side - 1));
  memory.copy(above, buffer + (side - 1) * PITCH, side);
}

function hadamardSum(source: usize, sourcePitch: usize, prediction: usize): v128 {
  return hadamard(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
  );
}

/** Of two blocks beside each other. */
function forwardPair(source: usize, sourcePitch: usize, prediction: usize, out: usize): void {
  forward(
    i16x8.sub(v128.load8x8_u(source), v128.load8x8_u(prediction)),
    i16x8.sub(v128.load8x8_u(source + sourcePitch), v128.load8x8_u(prediction, 16)),
    i16x8.sub(v128.load8x8_u(source + 2 * sourcePitch), v128.load8x8_u(prediction, 32)),
    i16x8.sub(v128.load8x8_u(source + 3 * sourcePitch), v128.load8x8_u(prediction, 48)),
    out,
  );
}

function sumOf(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

/** The mode of the whole macroblock that leaves the smallest sum. */
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
    const score = <f32>sumOf(lanes) + lambda * <f32>costOfLumaMode(mode);
    if (score >= least) continue;
    least = score;
    best = mode;
  }
  return best;
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
    const score = <f32>sumOf(lanes) + lambda * <f32>costOfColourMode(mode);
    if (score >= least) continue;
    least = score;
    best = mode;
  }
  return best;
}

function isUsed(at: usize): i32 {
  return load<u8>(at);
}

/** Codes the macroblock as a whole in one mode. @returns its score, without what says so */
function tryWhole(source: usize, mode: i32, segment: i32, lambda: f32, above: usize): f32 {
  const quantizer = quantizerOf(segment, LUMA);
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
  const lastAverage = quantize(averages, quantizerOf(segment, LUMA_AVERAGES), averageLevels, restoredAverages);
  let cost = costOfLevels(averageLevels, 0, lastAverage, AVERAGES, isUsed(above + 8) + isUsed(usedLeft + 8));
  let error = 0;
  inverseWalsh(restoredAverages, restoredFirsts, 2);
  for (let index: usize = 0; index < 4; index++) {
    store<u8>(triedAbove + index, load<u8>(above + index));
    store<u8>(triedLeft + index, load<u8>(usedLeft + index));
  }
  for (let block: usize = 0; block < BLOCKS; block++) {
    const own = coefficients + block * BLOCK;
    const first = <i32>load<i16>(own) - <i32>load<i16>(restoredFirsts + block * 2);
    error += first * first;
    store<i16>(own, 0);
    const levels = wholeLevels + block * BLOCK;
    const top = triedAbove + (block & 3);
    const left = triedLeft + (block >> 2);
    const context = isUsed(top) + isUsed(left);
    let last = quantize(own, quantizer, levels, restored + block * BLOCK);
    if (last > 0)
      last = optimize(
        own,
        quantizer,
        levels,
        restored + block * BLOCK,
        1,
        last,
        AFTER_AVERAGES,
        context,
        lambda * TRELLIS_SHARE,
      );
    error += squaredError(own, restored + block * BLOCK);
    cost += costOfLevels(levels, 1, last, AFTER_AVERAGES, context);
    store<u8>(top, last > 0 ? 1 : 0);
    store<u8>(left, last > 0 ? 1 : 0);
    store<i8>(wholeLasts + block, <i8>last);
    store<i16>(restored + block * BLOCK, load<i16>(restoredFirsts + block * 2));
  }
  for (let line: usize = 0; line < SIDE; line += 4)
    for (let column: usize = 0; column < SIDE; column += 8)
      reconstructPair(
        restored + (line + (column >> 2)) * BLOCK,
        prediction + line * 16 + column,
        wholeBuffer + line * PITCH + column,
        PITCH,
      );
  return <f32>error + lambda * <f32>(cost + costOfLumaMode(mode));
}

/** Sums of the modes of a block. */
const sums: usize = memory.data(BLOCK_MODES * 4, 16);
const pairCoefficients: usize = memory.data(2 * 32, 16);
const pairRestored: usize = memory.data(2 * 32, 16);
const pairLevels: usize = memory.data(2 * 32, 16);

function sumPair(r0: v128, r1: v128, mode: usize): void {
  const p = v128.load(BLOCK_PREDICTIONS + mode * 16);
  const q = v128.load(BLOCK_PREDICTIONS + mode * 16, 16);
  const p0 = i16x8.sub(r0, i16x8.extend_low_i8x16_u(p));
  const p1 = i16x8.sub(r1, i16x8.extend_high_i8x16_u(p));
  const q0 = i16x8.sub(r0, i16x8.extend_low_i8x16_u(q));
  const q1 = i16x8.sub(r1, i16x8.extend_high_i8x16_u(q));
  const lanes = hadamard(lowHalves(p0, q0), highHalves(p0, q0), lowHalves(p1, q1), highHalves(p1, q1));
  store<i32>(sums + mode * 4, i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1));
  store<i32>(sums + mode * 4, i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3), 4);
}

/** Codes the macroblock by blocks. @returns its score; more than `limit` where it was given up */
function tryBlocks(source: usize, segment: i32, limit: f32, above: usize, modes: usize): f32 {
  const quantizer = quantizerOf(segment, LUMA);
  const step = <f32>stepOf(quantizer);
  const lambda = LAMBDA * step * step;
  const sumLambda = HADAMARD_LAMBDA * step;
  let score = lambda * <f32>costOfBlocks();
  blockModesCost = costOfBlocks();
  for (let index: usize = 0; index < 4; index++) {
    store<u8>(triedAbove + index, load<u8>(above + index));
    store<u8>(triedLeft + index, load<u8>(usedLeft + index));
    store<u8>(triedModesAbove + index, load<u8>(modes + index));
    store<u8>(triedModesLeft + index, load<u8>(modesLeft + index));
  }
  for (let block: usize = 0; block < BLOCKS; block++) {
    const column = block & 3;
    const line = block >> 2;
    const at = lumaBuffer + line * 4 * PITCH + column * 4;
    const from = source + line * 4 * lumaPitch() + column * 4;
    predictBlock(at);
    let pixels = v128.load32_zero(from);
    pixels = v128.load32_lane(from + lumaPitch(), pixels, 1);
    pixels = v128.load32_lane(from + 2 * lumaPitch(), pixels, 2);
    pixels = v128.load32_lane(from + 3 * lumaPitch(), pixels, 3);
    const r0 = i16x8.extend_low_i8x16_u(pixels);
    const r1 = i16x8.extend_high_i8x16_u(pixels);
    const costs = costsOfBlockModes(load<u8>(triedModesAbove + column), load<u8>(triedModesLeft + line));
    let best: usize = 0;
    let second: usize = 1;
    let least = f32.MAX_VALUE;
    let next = f32.MAX_VALUE;
    for (let mode: usize = 0; mode < <usize>BLOCK_MODES; mode += 2) sumPair(r0, r1, mode);
    for (let mode: usize = 0; mode < <usize>BLOCK_MODES; mode++) {
      const own = <f32>load<i32>(sums + mode * 4) + sumLambda * <f32>load<u16>(costs + mode * 2);
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
    const p = v128.load(BLOCK_PREDICTIONS + best * 16);
    const q = v128.load(BLOCK_PREDICTIONS + second * 16);
    const p0 = i16x8.sub(r0, i16x8.extend_low_i8x16_u(p));
    const p1 = i16x8.sub(r1, i16x8.extend_high_i8x16_u(p));
    const q0 = i16x8.sub(r0, i16x8.extend_low_i8x16_u(q));
    const q1 = i16x8.sub(r1, i16x8.extend_high_i8x16_u(q));
    forward(lowHalves(p0, q0), highHalves(p0, q0), lowHalves(p1, q1), highHalves(p1, q1), pairCoefficients);
    const context = isUsed(triedAbove + column) + isUsed(triedLeft + line);
    const last0 = quantize(pairCoefficients, quantizer, pairLevels, pairRestored);
    const last1 = quantize(pairCoefficients + BLOCK, quantizer, pairLevels + BLOCK, pairRestored + BLOCK);
    const score0 =
      <f32>squaredError(pairCoefficients, pairRestored) +
      lambda * <f32>(costOfLevels(pairLevels, 0, last0, WHOLE, context) + load<u16>(costs + best * 2));
    const score1 =
      <f32>squaredError(pairCoefficients + BLOCK, pairRestored + BLOCK) +
      lambda * <f32>(costOfLevels(pairLevels + BLOCK, 0, last1, WHOLE, context) + load<u16>(costs + second * 2));
    const takesFirst = score0 <= score1;
    const chosen: usize = takesFirst ? 0 : BLOCK;
    const mode = takesFirst ? best : second;
    let last = takesFirst ? last0 : last1;
    if (last >= 0) {
      last = optimize(
        pairCoefficients + chosen,
        quantizer,
        pairLevels + chosen,
        pairRestored + chosen,
        0,
        last,
        WHOLE,
        context,
        lambda * TRELLIS_SHARE,
      );
      score +=
        <f32>squaredError(pairCoefficients + chosen, pairRestored + chosen) +
        lambda * <f32>(costOfLevels(pairLevels + chosen, 0, last, WHOLE, context) + load<u16>(costs + mode * 2));
    } else score += takesFirst ? score0 : score1;
    if (score > limit) return score;
    v128.store(blockLevels + block * BLOCK, v128.load(pairLevels + chosen));
    v128.store(blockLevels + block * BLOCK, v128.load(pairLevels + chosen, 16), 16);
    store<i8>(blockLasts + block, <i8>last);
    store<u8>(blockModes + block, <u8>mode);
    blockModesCost += load<u16>(costs + mode * 2);
    store<u8>(triedAbove + column, last >= 0 ? 1 : 0);
    store<u8>(triedLeft + line, last >= 0 ? 1 : 0);
    store<u8>(triedModesAbove + column, <u8>mode);
    store<u8>(triedModesLeft + line, <u8>mode);
    reconstructBlock(pairRestored + chosen, BLOCK_PREDICTIONS + mode * 16, at, PITCH);
  }
  return score;
}

/** Codes the colour in one mode. */
function codeColour(x: i32, y: i32, mode: i32, segment: i32): void {
  codePlane(bluesAt(x, y), bluesPredictions + <usize>mode * 128, segment, 0, bluesBuffer);
  codePlane(redsAt(x, y), redsPredictions + <usize>mode * 128, segment, 4, redsBuffer);
}

function codePlane(source: usize, prediction: usize, segment: i32, from: usize, buffer: usize): void {
  const quantizer = quantizerOf(segment, COLOUR);
  for (let line: usize = 0; line < COLOUR_SIDE; line += 4) {
    const own = coefficients + line * (BLOCK / 2);
    forwardPair(source + line * colourPitch(), colourPitch(), prediction + line * 16, own);
    for (let column: usize = 0; column < 2; column++) {
      const block = from + (line >> 1) + column;
      const last = quantize(own + column * BLOCK, quantizer, colourLevels + block * BLOCK, restored + column * BLOCK);
      store<i8>(colourLasts + block, <i8>last);
    }
    reconstructPair(restored, prediction + line * 16, buffer + line * PITCH, PITCH);
  }
}

/** Whether the partition of modes can hold those of blocks, however many macroblocks are to come. */
function hasRoomForModes(): bool {
  const all = <i64>macroblocksAcross() * macroblocksDown();
  const limit = MAX_MODE_BITS / 10 + (((MAX_MODE_BITS * 8) / 10) * coded) / all;
  return modeCost < limit << 8;
}

/** Copies what is above a macroblock into the buffers. */
function loadAbove(x: i32, y: i32): void {
  const place = linesAbove + <usize>x * SIDE;
  v128.store(lumaBuffer - PITCH, v128.load(place));
  // At the right end the last sample goes on, but above the first line all are the same.
  const beyond = x + 1 < macroblocksAcross() || y === 0 ? load<u32>(place, 16) : <u32>load<u8>(place, 15) * 0x01010101;
  for (let line: usize = 0; line < SIDE; line += 4) store<u32>(lumaBuffer + line * PITCH - PITCH + 16, beyond);
  store<u64>(bluesBuffer - PITCH, load<u64>(bluesAbove + <usize>x * COLOUR_SIDE));
  store<u64>(redsBuffer - PITCH, load<u64>(redsAbove + <usize>x * COLOUR_SIDE));
}

/**
 * Codes a macroblock; those before it have been.
 * @param record of it
 * @param out gets its levels: of each block how many, then that many, 16 bits each
 * @returns the end of them
 */
export function codeMacroblock(x: i32, y: i32, record: usize, out: usize): usize {
  const segment = <i32>load<u8>(record);
  const source = lumaAt(x, y);
  const used = usedAbove + <usize>x * USED;
  const modes = modesAbove + <usize>x * 4;
  const step = <f32>stepOf(quantizerOf(segment, LUMA));
  loadAbove(x, y);
  predictSquare(lumaBuffer, 16, y > 0, x > 0, predictions);
  const mode = chooseLumaMode(source, HADAMARD_LAMBDA * step);
  const whole = tryWhole(source, mode, segment, LAMBDA * step * step, used);
  const byBlocks = hasRoomForModes() && tryBlocks(source, segment, whole, used, modes) < whole;
  if (byBlocks) {
    memory.copy(record + RECORD_BLOCK_MODES, blockModes, BLOCKS);
  } else {
    memory.fill(record + RECORD_BLOCK_MODES, <u8>mode, BLOCKS);
    for (let line: usize = 0; line < SIDE; line++)
      v128.store(lumaBuffer + line * PITCH, v128.load(wholeBuffer + line * PITCH));
  }
  store<u32>(modes, load<u32>(record + RECORD_BLOCK_MODES + 12));
  for (let line: usize = 0; line < 4; line++)
    store<u8>(modesLeft + line, load<u8>(record + RECORD_BLOCK_MODES + line * 4 + 3));

  predictSquare(bluesBuffer, 8, y > 0, x > 0, bluesPredictions);
  predictSquare(redsBuffer, 8, y > 0, x > 0, redsPredictions);
  const colourMode = chooseColourMode(x, y, HADAMARD_LAMBDA * <f32>stepOf(quantizerOf(segment, COLOUR)));
  codeColour(x, y, colourMode, segment);
  modeCost += costOfColourMode(colourMode) + COST_BESIDE_MODES + (byBlocks ? blockModesCost : costOfLumaMode(mode));
  coded += 1;

  store<u8>(record, byBlocks ? 1 : 0, RECORD_BY_BLOCKS);
  store<u8>(record, <u8>mode, RECORD_MODE);
  store<u8>(record, <u8>colourMode, RECORD_COLOUR_MODE);
  const end = storeLevels(record, byBlocks, out);
  if (end !== out) codeStored(record, used, out, false);
  else skip(byBlocks, used);
  moveOn(lumaBuffer, SIDE, linesAbove + <usize>x * SIDE);
  moveOn(bluesBuffer, COLOUR_SIDE, bluesAbove + <usize>x * COLOUR_SIDE);
  moveOn(redsBuffer, COLOUR_SIDE, redsAbove + <usize>x * COLOUR_SIDE);
  return end;
}

/** Of a macroblock without levels. */
function skip(byBlocks: bool, used: usize): void {
  memory.fill(used, 0, byBlocks ? USED - 1 : USED);
  memory.fill(usedLeft, 0, byBlocks ? USED - 1 : USED);
}

function storeBlock(levels: usize, last: i32, out: usize): usize {
  const bytes = <usize>((last + 1) * 2);
  store<u8>(out, <u8>(last + 1));
  memory.copy(out + 1, levels, bytes);
  return out + 1 + bytes;
}

/** @returns the end; where there is none but zeros, `out` */
function storeLevels(record: usize, byBlocks: bool, out: usize): usize {
  let isEmpty = true;
  let end = out;
  if (!byBlocks) {
    let last = 15;
    while (last >= 0 && load<i16>(averageLevels + ((<usize>last) << 1)) === 0) last -= 1;
    end = storeBlock(averageLevels, last, end);
    if (last >= 0) isEmpty = false;
  }
  const levels = byBlocks ? blockLevels : wholeLevels;
  const lasts = byBlocks ? blockLasts : wholeLasts;
  for (let block: usize = 0; block < BLOCKS; block++) {
    const last = <i32>load<i8>(lasts + block);
    end = storeBlock(levels + block * BLOCK, last, end);
    if (last >= 0) isEmpty = false;
  }
  for (let block: usize = 0; block < COLOUR_BLOCKS; block++) {
    const last = <i32>load<i8>(colourLasts + block);
    end = storeBlock(colourLevels + block * BLOCK, last, end);
    if (last >= 0) isEmpty = false;
  }
  store<u8>(record, isEmpty ? 1 : 0, RECORD_SKIPPED);
  return isEmpty ? out : end;
}

function codeBlock(at: usize, first: i32, type: i32, above: usize, left: usize, writes: bool): usize {
  const count = <i32>load<u8>(at);
  codeLevels(at + 1, first, count - 1, type, isUsed(above) + isUsed(left), writes);
  store<u8>(above, count > 0 ? 1 : 0);
  store<u8>(left, count > 0 ? 1 : 0);
  return at + 1 + <usize>(count * 2);
}

/** Counts or writes the levels of a macroblock, as they were stored. @returns their end */
function codeStored(record: usize, used: usize, levels: usize, writes: bool): usize {
  let at = levels;
  const byBlocks = load<u8>(record, RECORD_BY_BLOCKS) !== 0;
  if (!byBlocks) at = codeBlock(at, 0, AVERAGES, used + 8, usedLeft + 8, writes);
  const first = byBlocks ? 0 : 1;
  const type = byBlocks ? WHOLE : AFTER_AVERAGES;
  for (let block: usize = 0; block < BLOCKS; block++)
    at = codeBlock(at, first, type, used + (block & 3), usedLeft + (block >> 2), writes);
  for (let plane: usize = 4; plane < 8; plane += 2)
    for (let block: usize = 0; block < 4; block++)
      at = codeBlock(at, 0, OF_COLOUR, used + plane + (block & 1), usedLeft + plane + (block >> 1), writes);
  return at;
}

/** Writes the levels of a macroblock. @returns the end of what was stored of it */
export function writeMacroblock(x: i32, record: usize, levels: usize): usize {
  const used = usedAbove + <usize>x * USED;
  if (load<u8>(record, RECORD_SKIPPED) === 0) return codeStored(record, used, levels, true);
  skip(load<u8>(record, RECORD_BY_BLOCKS) !== 0, used);
  return levels;
}

/** Before levels are written: no block has been coded. */
export function startWriting(): void {
  memory.fill(usedAbove, 0, <usize>macroblocksAcross() * USED);
}

export function startWritingLine(): void {
  memory.fill(usedLeft, 0, USED);
}
