/** Writes a key frame (RFC 6386, 9). */
import { keepUpTo, reserve } from '../../assembly/memory';
import { finishPartition, putBit, putNumber, putSigned, startPartition, writtenTo } from './bool-writer';
import { putProbabilities, refreshCosts, startCoefficients } from './coefficients';
import {
  codeMacroblock,
  MAX_LEVEL_BYTES,
  RECORD,
  RECORD_BLOCK_MODES,
  RECORD_BY_BLOCKS,
  RECORD_COLOUR_MODE,
  RECORD_MODE,
  RECORD_SKIPPED,
  startMacroblocks,
  writeMacroblock,
} from './macroblock';
import { putBlockMode, putBlocks, putColourMode, putLumaMode } from './modes';
import { forgetLevels, startLevels, startLine } from './neighbours';
import { imageHeight, imageWidth, macroblocksAcross, macroblocksDown } from './planes';
import { setQuantizers } from './quantize';
import { divide, filterOf, indexOf, putSegment, putSegments, SEGMENTS } from './segments';

/** Costs are updated after each eighth of the image, but at least this many macroblocks apart. */
const MIN_REFRESH: i32 = 96;
const REFRESHES: i32 = 8;
/** Added to the quantizer index for the first coefficients of chroma. */
const COLOUR_DC: i32 = -2;
const TAG_BYTES: usize = 10;
// At most 8 bits per decision.
const MAX_HEADER_BYTES: usize = 256 + 1056 * 9;
const MAX_MODE_BYTES: usize = 6 + 16 * 9 + 3;
const MAX_TOKEN_BYTES: usize = 25 * 16 * 23;

let records: usize = 0;
let filterLevel: f32 = 0;
let skipProbability: i32 = 255;
let hasSkipped: bool = false;
let frameEnd: usize = 0;

function recordAt(x: i32, y: i32): usize {
  return records + (<usize>y * <usize>macroblocksAcross() + <usize>x) * RECORD;
}

/**
 * Encodes the stored image.
 * @param index of the quantizer, 0 to 127
 * @param filter strength of the loop filter, in quarters of a quantization step
 * @param strength how much quantization follows activity (segments.ts)
 * @returns the address of the frame; 0 if there is not enough memory
 */
export function encodeFrame(index: i32, filter: f32, strength: f32): usize {
  filterLevel = filter;
  const across = macroblocksAcross();
  const macroblocks = across * macroblocksDown();
  records = reserve(<usize>macroblocks * RECORD);
  if (records === 0 || !startMacroblocks()) return 0;
  memory.fill(records, 0, <usize>macroblocks * RECORD);
  divide(records, RECORD, index, strength);
  for (let segment = 0; segment < SEGMENTS; segment++) setQuantizers(segment, indexOf(segment), COLOUR_DC, 0);
  startCoefficients();
  const levels = codeAll();
  if (levels === 0) return 0;
  return write(levels);
}

/** Whether `bytes` more bytes are available after the kept ones. */
function hasRoom(kept: usize, bytes: usize): bool {
  keepUpTo(kept);
  return reserve(bytes) !== 0;
}

/** @returns the address of the levels; 0 if there is not enough memory */
function codeAll(): usize {
  const across = macroblocksAcross();
  const down = macroblocksDown();
  const every = max(MIN_REFRESH, (across * down) / REFRESHES);
  const lineBytes = <usize>across * MAX_LEVEL_BYTES;
  const levels = reserve(lineBytes);
  if (levels === 0) return 0;
  let until = every;
  let end = levels;
  let skipped = 0;
  for (let y = 0; y < down; y++) {
    if (!hasRoom(end, lineBytes)) return 0;
    startLine(y);
    for (let x = 0; x < across; x++) {
      end = codeMacroblock(x, y, recordAt(x, y), end);
      skipped += load<u8>(recordAt(x, y), RECORD_SKIPPED);
      until -= 1;
      if (until > 0) continue;
      refreshCosts();
      until = every;
    }
  }
  keepUpTo(end);
  hasSkipped = skipped > 0;
  const macroblocks = across * down;
  skipProbability = min(255, max(1, <i32>((<i64>(macroblocks - skipped) * 256) / macroblocks)));
  return levels;
}

/** @returns the address of the frame; 0 if there is not enough memory */
function write(levels: usize): usize {
  const headBytes = TAG_BYTES + MAX_HEADER_BYTES;
  const frame = reserve(headBytes);
  if (frame === 0) return 0;
  startPartition(frame + TAG_BYTES);
  putHeader();
  const across = macroblocksAcross();
  const down = macroblocksDown();
  for (let y = 0; y < down; y++) {
    if (!hasRoom(writtenTo(), <usize>across * MAX_MODE_BYTES)) return 0;
    for (let x = 0; x < across; x++) putModes(x, y);
  }
  const first = finishPartition();
  putTag(frame, first - frame - TAG_BYTES);
  startPartition(first);
  forgetLevels();
  let at = levels;
  for (let y = 0; y < down; y++) {
    if (!hasRoom(writtenTo(), <usize>across * MAX_TOKEN_BYTES)) return 0;
    startLevels();
    for (let x = 0; x < across; x++) at = writeMacroblock(x, recordAt(x, y), at);
  }
  frameEnd = finishPartition();
  return frame;
}

/** Returns the end of the frame that was encoded last. */
export function endOfFrame(): usize {
  return frameEnd;
}

function putTag(frame: usize, partition: usize): void {
  // A visible key frame of version 0, the size of its first partition, the start code, and the size of the image.
  const tag = ((<u32>1) << 4) | ((<u32>partition) << 5);
  store<u16>(frame, <u16>tag);
  store<u8>(frame, <u8>(tag >> 16), 2);
  store<u8>(frame, 0x9d, 3);
  store<u8>(frame, 0x01, 4);
  store<u8>(frame, 0x2a, 5);
  store<u16>(frame, <u16>imageWidth(), 6);
  store<u16>(frame, <u16>imageHeight(), 8);
}

function putHeader(): void {
  // Colour space and clamping.
  putNumber(0, 2);
  putSegments(filterLevel);
  // The normal loop filter, its level, its sharpness, and no differences by mode.
  putNumber(0, 1);
  putNumber(filterOf(0, filterLevel), 6);
  putNumber(0, 3);
  putNumber(0, 1);
  // One partition of levels.
  putNumber(0, 2);
  putNumber(indexOf(0), 7);
  putSigned(0, 4);
  putSigned(0, 4);
  putSigned(0, 4);
  putSigned(COLOUR_DC, 4);
  putSigned(0, 4);
  // The probabilities apply only to this frame.
  putNumber(0, 1);
  putProbabilities();
  putNumber(hasSkipped ? 1 : 0, 1);
  if (hasSkipped) putNumber(skipProbability, 8);
}

function putModes(x: i32, y: i32): void {
  const record = recordAt(x, y);
  putSegment(load<u8>(record));
  if (hasSkipped) putBit(load<u8>(record, RECORD_SKIPPED), skipProbability);
  if (load<u8>(record, RECORD_BY_BLOCKS) === 0) {
    putLumaMode(load<u8>(record, RECORD_MODE));
  } else {
    putBlocks();
    const modes = record + RECORD_BLOCK_MODES;
    for (let block = 0; block < 16; block++) {
      const column = block & 3;
      const line = block >> 2;
      const above = line > 0 ? load<u8>(modes + <usize>(block - 4)) : modeOf(x, y - 1, 12 + column);
      const left = column > 0 ? load<u8>(modes + <usize>(block - 1)) : modeOf(x - 1, y, line * 4 + 3);
      putBlockMode(load<u8>(modes + <usize>block), above, left);
    }
  }
  putColourMode(load<u8>(record, RECORD_COLOUR_MODE));
}

/** Returns the mode of a block. Blocks outside the image count as predicted by their average. */
function modeOf(x: i32, y: i32, block: i32): u8 {
  return x < 0 || y < 0 ? 0 : load<u8>(recordAt(x, y) + RECORD_BLOCK_MODES + <usize>block);
}
