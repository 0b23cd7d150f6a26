/** A JPEG codec (ITU-T T.81). One file at a time; addresses are of the memory of the module. */

import { release } from '../../assembly/memory';
import { component, highestSampling, imageHeight, imageWidth, openFrame, widestSampling } from './frame';
import { NATURAL_ORDER } from './tables';

export { reserve } from '../../assembly/memory';
export { countLost, startChroma } from './chroma';
export { countOfRowsHeld, readCoefficients, statusOfScans } from './coefficients';
export { encodeRows, nextRows, startEncoding } from './encode';
export { colourModel, countOfComponents, imageHeight, imageWidth, isProgressive } from './frame';
export { requantize } from './requantize';
export { readResized, resizeComponent, startResizing } from './resize';
export { readRows, rowCount, rowWidth, startRows, wantRegion } from './rows';
export { isTruncated } from './scan';
export { storeCoefficients } from './sparse';
export { tableAt, tableBytes } from './symbols';
export { turnCoefficients } from './turn';
export { countScan, finishRowsOfScan, startRowsOfScan, writeRowOfScan, writeScan } from './write-scan';

/** Gives up everything that was reserved. */
export function close(): void {
  release();
}

/**
 * Reads the headers of a file.
 * @param data of the file, with 8 more bytes behind them, which are written
 * @returns `SCAN` or why it cannot be decoded
 */
export function open(data: usize, bytes: i32): i32 {
  for (let pad = 0; pad < 8; pad += 2) store<u16>(data + bytes + pad, 0xd9ff);
  return openFrame(data, bytes);
}

export function identifierOf(index: i32): i32 {
  return component(index).identifier;
}
/** Across << 4 | down. */
export function samplingOf(index: i32): i32 {
  const own = component(index);
  return (own.across << 4) | own.down;
}
/** Samples of a side of its blocks, as `startRows` decodes them. */
export function sideOf(index: i32): i32 {
  return component(index).side;
}
/**
 * Samples of a line of a component that stand for pixels of the image alone: at a smaller size the last one may also stand for what fills up
 * its block.
 */
export function unpaddedWidthOf(index: i32): i32 {
  const own = component(index);
  if (own.side === 8) return own.width;
  return max(1, (imageWidth() * own.across * own.side) / (widestSampling() * 8));
}
export function unpaddedHeightOf(index: i32): i32 {
  const own = component(index);
  if (own.side === 8) return own.height;
  return max(1, (imageHeight() * own.down * own.side) / (highestSampling() * 8));
}
export function tableNumberOf(index: i32): i32 {
  return component(index).tableNumber;
}
/** Address of 64 numbers of 16 bits in natural order. */
export function quantizationOf(index: i32): usize {
  return component(index).quantization;
}

/** Address of 64 bytes: for each place of the zigzag order the place in rows. */
export function naturalOrder(): usize {
  return NATURAL_ORDER;
}
