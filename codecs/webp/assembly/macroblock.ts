/** Chooses how each macroblock is predicted, keeps its levels, and writes them. */
import { blockLasts, blockLevels, blockModes, blockModesCost, tryBlocks } from './blocks';
import { AFTER_AVERAGES, AVERAGES, codeLevels, OF_COLOUR, WHOLE } from './coefficients';
import { codeColour, colourLasts, colourLevels } from './colour';
import { costOfColourMode, costOfLumaMode } from './modes';
import {
  leave,
  loadAbove,
  modesAbove,
  modesLeft,
  skipLevels,
  startNeighbours,
  usedAbove,
  usedLeft,
} from './neighbours';
import { lumaAt, macroblocksAcross, macroblocksDown } from './planes';
import { BLOCK, BLOCKS } from './score';
import { averageLevels, lastAverage, takeWhole, tryWhole, wholeLasts, wholeLevels, wholeMode } from './whole';

const COLOUR_BLOCKS: usize = 8;

/**
 * The record of a macroblock: segment, whether it has no levels, whether it is predicted by blocks, modes of luma and
 * chroma, then the modes of its 16 blocks.
 */
export const RECORD: usize = 24;
export const RECORD_SKIPPED: usize = 1;
export const RECORD_BY_BLOCKS: usize = 2;
export const RECORD_MODE: usize = 3;
export const RECORD_COLOUR_MODE: usize = 4;
export const RECORD_BLOCK_MODES: usize = 8;

/** Bits of the first partition (RFC 6386, 9.1), which holds the modes. */
const MAX_MODE_BITS: i64 = 8 << 19;
/** Maximum average cost of the segment and of the flag for levels. */
const COST_BESIDE_MODES: i32 = 4 * 256;

/** Maximum bytes of the levels of a macroblock: their numbers, and 16 bits each. */
export const MAX_LEVEL_BYTES: usize = 25 * (1 + 32);

/** The cost of the modes of the macroblocks so far, in 1/256 bits. */
let modeCost: i64 = 0;
let coded: i32 = 0;

/** @returns false if there is not enough memory */
export function startMacroblocks(): bool {
  modeCost = 0;
  coded = 0;
  return startNeighbours();
}

/** Whether the partition of modes has space for block modes, however many macroblocks follow. */
function hasRoomForModes(): bool {
  const all = <i64>macroblocksAcross() * macroblocksDown();
  const limit = MAX_MODE_BITS / 10 + (((MAX_MODE_BITS * 8) / 10) * coded) / all;
  return modeCost < limit << 8;
}

/**
 * Codes a macroblock. Those before it must be coded already.
 * @param record of the macroblock
 * @param out receives its levels: for each block their number, then the levels, 16 bits each
 * @returns the end of the levels
 */
export function codeMacroblock(x: i32, y: i32, record: usize, out: usize): usize {
  const segment = <i32>load<u8>(record);
  const source = lumaAt(x, y);
  loadAbove(x, y);
  const score = tryWhole(source, segment, x, y);
  const byBlocks = hasRoomForModes() && tryBlocks(source, segment, score, x) < score;
  const modes = record + RECORD_BLOCK_MODES;
  if (byBlocks) {
    memory.copy(modes, blockModes, BLOCKS);
  } else {
    memory.fill(modes, <u8>wholeMode, BLOCKS);
    takeWhole();
  }
  store<u32>(modesAbove(x), load<u32>(modes, 12));
  for (let line: usize = 0; line < 4; line++) store<u8>(modesLeft + line, load<u8>(modes + line * 4, 3));
  const colourMode = codeColour(x, y, segment);
  modeCost +=
    costOfColourMode(colourMode) + COST_BESIDE_MODES + (byBlocks ? blockModesCost : costOfLumaMode(wholeMode));
  coded += 1;
  store<u8>(record, byBlocks ? 1 : 0, RECORD_BY_BLOCKS);
  store<u8>(record, <u8>wholeMode, RECORD_MODE);
  store<u8>(record, <u8>colourMode, RECORD_COLOUR_MODE);
  const end = storeLevels(record, byBlocks, out);
  if (end !== out) codeStored(x, record, out, false);
  else skipLevels(x, byBlocks);
  leave(x);
  return end;
}

function storeBlock(levels: usize, last: i32, out: usize): usize {
  const bytes = <usize>((last + 1) * 2);
  store<u8>(out, <u8>(last + 1));
  memory.copy(out + 1, levels, bytes);
  return out + 1 + bytes;
}

/** @returns the end of the levels; `out` if all of them are zero */
function storeLevels(record: usize, byBlocks: bool, out: usize): usize {
  const levels = byBlocks ? blockLevels : wholeLevels;
  const lasts = byBlocks ? blockLasts : wholeLasts;
  let isEmpty = byBlocks || lastAverage < 0;
  let end = byBlocks ? out : storeBlock(averageLevels, lastAverage, out);
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
  codeLevels(at + 1, first, count - 1, type, <i32>load<u8>(above) + <i32>load<u8>(left), writes);
  store<u8>(above, count > 0 ? 1 : 0);
  store<u8>(left, count > 0 ? 1 : 0);
  return at + 1 + <usize>(count * 2);
}

/**
 * Counts or writes the levels of a macroblock in stored form.
 * @returns their end
 */
function codeStored(x: i32, record: usize, levels: usize, writes: bool): usize {
  const used = usedAbove(x);
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

/**
 * Writes the levels of a macroblock.
 * @returns the end of its stored levels
 */
export function writeMacroblock(x: i32, record: usize, levels: usize): usize {
  if (load<u8>(record, RECORD_SKIPPED) === 0) return codeStored(x, record, levels, true);
  skipLevels(x, load<u8>(record, RECORD_BY_BLOCKS) !== 0);
  return levels;
}
