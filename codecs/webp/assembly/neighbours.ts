/** The surroundings of a macroblock: reconstructed samples, which blocks have levels, and modes. */
import { reserve } from '../../assembly/memory';
import { COLOUR_SIDE, macroblocksAcross, SIDE } from './planes';
import { PITCH } from './predict';

/** Initial samples above and to the left of a macroblock (RFC 6386, 12.2 and 12.3). */
const ABOVE: u8 = 127;
const LEFT: u8 = 129;

/** Reconstructed samples and those around them: 17 lines. */
const BUFFER: i32 = 18 * 32;
export const lumaBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;
export const bluesBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;
export const redsBuffer: usize = memory.data(BUFFER, 16) + PITCH + 8;

/** The line of samples above all macroblocks. */
let linesAbove: usize = 0;
let bluesAbove: usize = 0;
let redsAbove: usize = 0;

/**
 * Whether blocks have levels, for each macroblock above and for the one to the left: 4 of luma, 2 and 2 of chroma, and
 * the averages.
 */
let used: usize = 0;
export const usedLeft: usize = memory.data(9);
const USED: usize = 9;
/** Modes of 4 blocks each. */
let modes: usize = 0;
export const modesLeft: usize = memory.data(4);

export function usedAbove(x: i32): usize {
  return used + <usize>x * USED;
}
export function modesAbove(x: i32): usize {
  return modes + <usize>x * 4;
}

/** @returns false if there is not enough memory */
export function startNeighbours(): bool {
  const across = <usize>macroblocksAcross();
  linesAbove = reserve(across * SIDE + 16);
  bluesAbove = reserve(across * COLOUR_SIDE + 16);
  redsAbove = reserve(across * COLOUR_SIDE + 16);
  used = reserve(across * USED);
  modes = reserve(across * 4);
  if (linesAbove === 0 || bluesAbove === 0 || redsAbove === 0 || used === 0 || modes === 0) return false;
  memory.fill(linesAbove, ABOVE, across * SIDE + 16);
  memory.fill(bluesAbove, ABOVE, across * COLOUR_SIDE + 16);
  memory.fill(redsAbove, ABOVE, across * COLOUR_SIDE + 16);
  memory.fill(modes, 0, across * 4);
  forgetLevels();
  return true;
}

/** Marks all blocks as not yet coded. */
export function forgetLevels(): void {
  memory.fill(used, 0, <usize>macroblocksAcross() * USED);
}

function fillLeft(buffer: usize, side: i32, y: i32): void {
  store<u8>(buffer - PITCH - 1, y === 0 ? ABOVE : LEFT);
  for (let line = 0; line < side; line++) store<u8>(buffer + <usize>line * PITCH - 1, LEFT);
}

/** Must be called before the first macroblock of a line. */
export function startLine(y: i32): void {
  fillLeft(lumaBuffer, 16, y);
  fillLeft(bluesBuffer, 8, y);
  fillLeft(redsBuffer, 8, y);
  startLevels();
  memory.fill(modesLeft, 0, 4);
}

/** Like `startLine`, when only levels are written. */
export function startLevels(): void {
  memory.fill(usedLeft, 0, USED);
}

/**
 * Must be called for a macroblock without levels. If it is predicted by blocks, the flags of the averages stay
 * unchanged.
 */
export function skipLevels(x: i32, byBlocks: bool): void {
  memory.fill(usedAbove(x), 0, byBlocks ? USED - 1 : USED);
  memory.fill(usedLeft, 0, byBlocks ? USED - 1 : USED);
}

/** Copies the samples above a macroblock into the buffers. */
export function loadAbove(x: i32, y: i32): void {
  const place = linesAbove + <usize>x * SIDE;
  v128.store(lumaBuffer - PITCH, v128.load(place));
  // At the right end the last sample is repeated. Above the first line all samples are equal.
  const beyond = x + 1 < macroblocksAcross() || y === 0 ? load<u32>(place, 16) : <u32>load<u8>(place, 15) * 0x01010101;
  for (let line: usize = 0; line < SIDE; line += 4) store<u32>(lumaBuffer + line * PITCH - PITCH + 16, beyond);
  store<u64>(bluesBuffer - PITCH, load<u64>(bluesAbove + <usize>x * COLOUR_SIDE));
  store<u64>(redsBuffer - PITCH, load<u64>(redsAbove + <usize>x * COLOUR_SIDE));
}

/** Moves the last column to the left of the next macroblock, and the last line above the macroblock below. */
function moveOn(buffer: usize, side: usize, above: usize): void {
  store<u8>(buffer - PITCH - 1, load<u8>(buffer - PITCH + side - 1));
  for (let line: usize = 0; line < side; line++)
    store<u8>(buffer + line * PITCH - 1, load<u8>(buffer + line * PITCH + side - 1));
  memory.copy(above, buffer + (side - 1) * PITCH, side);
}

/** Must be called after a macroblock has been reconstructed. */
export function leave(x: i32): void {
  moveOn(lumaBuffer, SIDE, linesAbove + <usize>x * SIDE);
  moveOn(bluesBuffer, COLOUR_SIDE, bluesAbove + <usize>x * COLOUR_SIDE);
  moveOn(redsBuffer, COLOUR_SIDE, redsAbove + <usize>x * COLOUR_SIDE);
}
