/** Converts rows of pixels to coefficients and stores the ones to be written. */

import { reserve } from '../../assembly/memory';
import { firstRowHeld, holdNextRows, holdRows } from './coefficients';
import { quantize, transformForward } from './forward';
import {
  component,
  countOfComponents,
  createFrame,
  highestSampling,
  imageWidth,
  mcusAcross,
  OK,
  OUT_OF_MEMORY,
  widestSampling,
} from './frame';
import { acMask } from './masks';
import { BENT_PITCH, overshoot } from './overshoot';
import { fillLine, halveLine, quarterLines, readGrey, readRgb, roundLine } from './pixels';
import { appendBlock, forgetValues, recordOf, reserveRecords, reserveValues } from './sparse';
import { chooseCoefficients, FACTORS_BYTES, learnLengths, makeFactors, startTrellis } from './trellis';

const BLOCK: usize = 64;
/** The coefficients of the current block. */
const block: usize = memory.data(BLOCK * 2, 16);

/**
 * Weight of chroma errors relative to luma errors. Fitted to Butteraugli and SSIMULACRA2 (npm run bench:jpeg-bytes).
 */
const IMPORTANCE_OF_COLOUR: f32 = 1.5;

let hasTrellis: bool = false;
/** Number of encoded rows of MCUs. */
let rowsDone: i32 = 0;
/** Samples per line, including those that fill up the last MCU. */
let lineLength: i32 = 0;
/** The lines of a row of MCUs, 16 bits per sample. */
let lumaLines: usize = 0;
let blueLines: usize = 0;
let redLines: usize = 0;
/** Two lines of Cb and of Cr before they are averaged. */
let colourLines: usize = 0;
let factors: usize = 0;

/**
 * Starts a grey or RGB image.
 * @param across sampling factor of luma, 1 or 2, relative to chroma
 * @param tables two quantization tables, for luma and chroma: 64 values of 16 bits each, in natural order
 * @param scales of the transform, one float per coefficient in natural order: `scaled` is the coefficient times its
 * scale
 * @param rows of MCUs whose coefficients are kept at a time; call `nextRows` before encoding more
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function startEncoding(
  width: i32,
  height: i32,
  components: i32,
  across: i32,
  down: i32,
  tables: usize,
  scales: usize,
  trellis: bool,
  rows: i32,
): i32 {
  createFrame(width, height, components, across, down);
  hasTrellis = trellis;
  rowsDone = 0;
  startTrellis();
  factors = reserve(<usize>components * FACTORS_BYTES);
  if (factors === 0) return OUT_OF_MEMORY;
  for (let index = 0; index < components; index++) {
    const own = component(index);
    own.quantization = tables + (index === 0 ? 0 : BLOCK * 2);
    const importance: f32 = index === 0 ? 1 : IMPORTANCE_OF_COLOUR;
    makeFactors(factors + <usize>index * FACTORS_BYTES, own.quantization, scales, importance);
  }
  holdRows(rows);
  return reserveLines() && reserveRecords() ? OK : OUT_OF_MEMORY;
}

function reserveLines(): bool {
  lineLength = mcusAcross() * widestSampling() * 8;
  const line = <usize>lineLength * 2;
  lumaLines = reserve(line * <usize>(highestSampling() * 8));
  blueLines = reserve(line * 8);
  redLines = reserve(line * 8);
  colourLines = reserve(line * 4);
  return lumaLines !== 0 && blueLines !== 0 && redLines !== 0 && colourLines !== 0;
}

/**
 * Encodes a row of MCUs.
 * @param pixels of its rows; the 48 bytes after them are also read
 * @param pitch bytes from one row to the next
 * @param count number of its rows inside the image, which is smaller only at the end
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function encodeRows(pixels: usize, pitch: i32, count: i32): i32 {
  const down = highestSampling();
  for (let line = 0; line < down * 8; line += down) readLines(pixels, pitch, count, line);
  for (let index = 0; index < countOfComponents(); index++) if (!encodeBlocks(index)) return OUT_OF_MEMORY;
  rowsDone += 1;
  if (hasTrellis) learnLengths(rowsDone);
  return OK;
}

/** Discards the kept rows. Call it when all of them are encoded, before the next one. */
export function nextRows(): void {
  holdNextRows();
  forgetValues();
}

/** Reads the lines that make one line of chroma. */
function readLines(pixels: usize, pitch: i32, count: i32, first: i32): void {
  const down = highestSampling();
  const lineBytes = <usize>lineLength * 2;
  const blues = colourLines;
  const reds = colourLines + lineBytes * 2;
  for (let index = 0; index < down; index++) {
    const from = pixels + <usize>min(first + index, count - 1) * <usize>pitch;
    const luma = lumaLines + <usize>(first + index) * lineBytes;
    if (countOfComponents() === 1) readGrey(from, imageWidth(), luma);
    else {
      readRgb(from, imageWidth(), luma, blues + <usize>index * lineBytes, reds + <usize>index * lineBytes);
      fillLine(blues + <usize>index * lineBytes, imageWidth(), lineLength);
      fillLine(reds + <usize>index * lineBytes, imageWidth(), lineLength);
    }
    fillLine(luma, imageWidth(), lineLength);
  }
  if (countOfComponents() === 1) return;
  const at = <usize>(first / down) * lineBytes;
  storeColour(blues, blueLines + at);
  storeColour(reds, redLines + at);
}

function storeColour(lines: usize, out: usize): void {
  if (widestSampling() === 1) roundLine(lines, lineLength, out);
  else if (highestSampling() === 1) halveLine(lines, lineLength >> 1, out);
  else quarterLines(lines, lines + <usize>lineLength * 2, lineLength >> 1, out);
}

/** @returns false if there is not enough memory */
function encodeBlocks(index: i32): bool {
  const own = component(index);
  const lines = index === 0 ? lumaLines : index === 1 ? blueLines : redLines;
  const pitch = <usize>lineLength * 2;
  const ownFactors = factors + <usize>index * FACTORS_BYTES;
  const kind: usize = index === 0 ? 0 : 1;
  for (let row = 0; row < own.down; row++) {
    const line = rowsDone * own.down + row;
    if (line >= own.blocksDown) return true;
    if (!reserveValues(own.blocksAcross)) return false;
    const first = (line - firstRowHeld() * own.down) * own.pitchBlocks;
    let from = lines + <usize>row * 8 * pitch;
    for (let column = 0; column < own.blocksAcross; column++) {
      const bent = index === 0 ? overshoot(from, pitch, <i32>load<u16>(own.quantization)) : 0;
      if (bent === 0) transformForward(from, pitch);
      else transformForward(bent, BENT_PITCH);
      const natural = quantize(ownFactors, block);
      const mask = hasTrellis ? chooseCoefficients(block, natural, ownFactors, kind) : acMask(natural);
      appendBlock(recordOf(index, first + column), block, mask);
      from += 16;
    }
  }
  return true;
}
