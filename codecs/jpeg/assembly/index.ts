/** A JPEG codec (ITU-T T.81) for one file at a time. Addresses are in the memory of the module. */

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

/** Frees everything that was reserved. */
export function close(): void {
  release();
}

/**
 * Reads the headers of a file.
 * @param data of the file; the 8 bytes after it are overwritten
 * @returns `SCAN`, or why it cannot be decoded
 */
export function open(data: usize, bytes: i32): i32 {
  for (let pad = 0; pad < 8; pad += 2) store<u16>(data + bytes + pad, 0xd9ff);
  return openFrame(data, bytes);
}

export function identifierOf(index: i32): i32 {
  return component(index).identifier;
}
/** Returns the sampling factors: across << 4 | down. */
export function samplingOf(index: i32): i32 {
  const own = component(index);
  return (own.across << 4) | own.down;
}
/** Returns the side of a component's blocks in samples, as decoded after `startRows`. */
export function sideOf(index: i32): i32 {
  return component(index).side;
}
/**
 * Returns the number of samples per line of a component that stand only for pixels of the image. At a smaller size the
 * last sample may also contain padding of its block.
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
/** Returns the address of 64 numbers of 16 bits in natural order. */
export function quantizationOf(index: i32): usize {
  return component(index).quantization;
}

/** Returns the address of 64 bytes that map places in zigzag order to natural order. */
export function naturalOrder(): usize {
  return NATURAL_ORDER;
}
