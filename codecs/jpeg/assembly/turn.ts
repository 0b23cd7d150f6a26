/**
 * Crops, rotates and mirrors kept coefficients without loss. In a mirrored block every other coefficient changes its
 * sign.
 */

import { numberAt, setNumber } from '../../assembly/memory';
import { transpose } from '../../assembly/vectors';
import { reserveCoefficients } from './coefficients';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import {
  Component,
  component,
  countOfComponents,
  highestSampling,
  imageHeight,
  imageWidth,
  MAX_COMPONENTS,
  OK,
  OUT_OF_MEMORY,
  resizeFrame,
  transposeFrame,
  UNSUPPORTED,
  widestSampling,
} from './frame';

/** For each component: address of the first coefficient of the area, and blocks per row of the original. */
const sources: usize = memory.data(MAX_COMPONENTS * 4, 4);
const pitches: usize = memory.data(MAX_COMPONENTS * 4, 4);

let isTransposed: bool = false;
let isMirroredAcross: bool = false;
let isMirroredDown: bool = false;

/**
 * Keeps the coefficients of an area, then rotates or mirrors them. If the result is not `OK`, the file must be
 * discarded.
 * @param transposes swaps rows and columns, before anything is mirrored
 * @param mirrorsAcross left to right
 * @param mirrorsDown top to bottom
 * @returns `OK`, `OUT_OF_MEMORY`, or `UNSUPPORTED` if the area does not begin at an MCU, or the padding of the last MCU
 * would move to the front
 */
export function turnCoefficients(
  left: i32,
  top: i32,
  width: i32,
  height: i32,
  transposes: bool,
  mirrorsAcross: bool,
  mirrorsDown: bool,
): i32 {
  const mcuWidth = widestSampling() * 8;
  const mcuHeight = highestSampling() * 8;
  if (left % mcuWidth !== 0 || top % mcuHeight !== 0) return UNSUPPORTED;
  if (left + width > imageWidth() || top + height > imageHeight()) return UNSUPPORTED;
  isTransposed = transposes;
  isMirroredAcross = mirrorsAcross;
  isMirroredDown = mirrorsDown;
  for (let index = 0; index < countOfComponents(); index++) {
    const own = component(index);
    const first = (top / mcuHeight) * own.down * own.pitchBlocks + (left / mcuWidth) * own.across;
    setNumber(sources, index, <i32>(own.coefficients + ((<usize>first) << 7)));
    setNumber(pitches, index, own.pitchBlocks);
  }
  resizeFrame(width, height);
  if (transposes) transposeFrame();
  if (mirrorsAcross && imageWidth() % (widestSampling() * 8) !== 0) return UNSUPPORTED;
  if (mirrorsDown && imageHeight() % (highestSampling() * 8) !== 0) return UNSUPPORTED;
  if (!reserveCoefficients()) return OUT_OF_MEMORY;
  for (let index = 0; index < countOfComponents(); index++) turnComponent(component(index), index);
  return OK;
}

function turnComponent(own: Component, index: i32): void {
  const source = <usize>numberAt(sources, index);
  const pitch = numberAt(pitches, index);
  if (isTransposed) transpose(own.quantization);
  for (let y = 0; y < own.blocksDown; y++) {
    const fromY = isMirroredDown ? own.blocksDown - 1 - y : y;
    for (let x = 0; x < own.blocksAcross; x++) {
      const fromX = isMirroredAcross ? own.blocksAcross - 1 - x : x;
      const block = isTransposed ? fromX * pitch + fromY : fromY * pitch + fromX;
      turnBlock(source + ((<usize>block) << 7), own.coefficients + ((<usize>(y * own.pitchBlocks + x)) << 7));
    }
  }
}

function turnBlock(from: usize, to: usize): void {
  memory.copy(to, from, 128);
  if (isTransposed) transpose(to);
  const signs = isMirroredAcross ? i16x8(1, -1, 1, -1, 1, -1, 1, -1) : i16x8.splat(1);
  const others = isMirroredDown ? i16x8.neg(signs) : signs;
  for (let row: usize = 0; row < 128; row += 32) {
    v128.store(to + row, i16x8.mul(v128.load(to + row), signs));
    v128.store(to + row, i16x8.mul(v128.load(to + row, 16), others), 16);
  }
}
