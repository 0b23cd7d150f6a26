/**
 * Quantizes the coefficients of a file more coarsely, without decoding to pixels: nothing is rounded twice, and chroma
 * keeps its samples.
 */

import { reserve } from '../../assembly/memory';
import { quantize, scaled } from './forward';
import { component, countOfComponents, mcusDown, OK, OUT_OF_MEMORY } from './frame';
import { recordOf, reserveRecords, storeBlock } from './sparse';
import { chooseCoefficients, FACTORS_BYTES, learnLengths, makeFactors, startTrellis } from './trellis';

const BLOCK: usize = 64;
/** The coefficients of the current block. */
const block: usize = memory.data(BLOCK * 2, 16);
/**
 * Weights of errors, relative to those of luma when an image is encoded. The chroma weight is lower than for encoding,
 * because its samples were averaged before. Fitted to Butteraugli and SSIMULACRA2 (npm run bench:jpeg-bytes -- --source
 * 90).
 */
const IMPORTANCE_OF_LUMA: f32 = 0.7;
const IMPORTANCE_OF_COLOUR: f32 = 0.35;

/**
 * Quantizes all coefficients again, with the trellis, and stores the values to be written. They overwrite the
 * coefficients.
 * @param tables for each component 64 values of 16 bits, in natural order
 * @returns `OK` or `OUT_OF_MEMORY`
 */
export function requantize(tables: usize): i32 {
  const count = <usize>countOfComponents();
  const factors = reserve(count * FACTORS_BYTES);
  if (factors === 0) return OUT_OF_MEMORY;
  for (let index: usize = 0; index < count; index++) {
    const table = index * BLOCK * 2;
    const importance: f32 = index === 0 ? IMPORTANCE_OF_LUMA : IMPORTANCE_OF_COLOUR;
    makeFactors(factors + index * FACTORS_BYTES, tables + table, 0, importance);
  }
  startTrellis();
  if (!reserveRecords()) return OUT_OF_MEMORY;
  for (let row = 0; row < mcusDown(); row++) {
    for (let index: usize = 0; index < count; index++) requantizeRow(<i32>index, row, factors + index * FACTORS_BYTES);
    learnLengths(row + 1);
  }
  for (let index: usize = 0; index < count; index++) component(<i32>index).quantization = tables + index * BLOCK * 2;
  separateColourTables();
  return OK;
}

/** Gives chroma its own table if the file has one for luma and chroma, and their steps differ now. */
function separateColourTables(): void {
  const luma = component(0);
  const shared = luma.tableNumber;
  const free = freeTableNumber();
  for (let index = 1; index < countOfComponents(); index++) {
    const own = component(index);
    const differs = memory.compare(own.quantization, luma.quantization, BLOCK * 2) !== 0;
    if (own.tableNumber === shared && differs) own.tableNumber = free;
  }
}

/** Returns the first of the four table numbers that no component uses. */
function freeTableNumber(): i32 {
  let used = 0;
  for (let index = 0; index < countOfComponents(); index++) used |= 1 << component(index).tableNumber;
  return ctz<i32>(~used);
}

/** Requantizes a row of MCUs. */
function requantizeRow(index: i32, row: i32, factors: usize): void {
  const own = component(index);
  const kind: usize = index === 0 ? 0 : 1;
  for (let line = row * own.down; line < min((row + 1) * own.down, own.blocksDown); line++) {
    const first = <usize>line * own.pitchBlocks;
    for (let number = first; number < first + own.blocksAcross; number++) {
      // The values are stored where the coefficients were.
      const at = own.coefficients + (number << 7);
      scale(at, own.quantization);
      const mask = chooseCoefficients(block, quantize(factors, block), factors, kind);
      storeBlock(recordOf(index, number), block, mask, at);
    }
  }
}

/** Dequantizes the coefficients, as floats. */
function scale(block: usize, table: usize): void {
  for (let row: usize = 0; row < 8; row++) {
    const values = v128.load(block + (row << 4));
    const steps = v128.load(table + (row << 4));
    const low = i32x4.mul(i32x4.extend_low_i16x8_s(values), i32x4.extend_low_i16x8_u(steps));
    const high = i32x4.mul(i32x4.extend_high_i16x8_s(values), i32x4.extend_high_i16x8_u(steps));
    v128.store(scaled + (row << 5), f32x4.convert_i32x4_s(low));
    v128.store(scaled + (row << 5), f32x4.convert_i32x4_s(high), 16);
  }
}
