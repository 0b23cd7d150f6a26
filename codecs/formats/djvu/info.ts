/** The INFO chunk of a page: size, resolution, gamma, rotation (DjVu 3 Specification, 2005, section 8.3.11). */
import { viewOf } from '../../metadata/bytes.ts';

/** Degrees, anticlockwise, by which the page must be rotated to be upright. */
export type Rotation = 0 | 90 | 180 | 270;

export interface PageInfo {
  /** As stored, before the rotation. */
  width: number;
  height: number;
  /** Dots per inch; undefined when the file does not declare it. */
  resolution: number | undefined;
  gamma: number;
  rotation: Rotation;
}

export const DEFAULT_GAMMA = 2.2;
const GAMMAS = { least: 0.3, most: 5 };
const RESOLUTIONS = { least: 25, most: 6000 };
const ROTATIONS: Record<number, Rotation> = { 6: 90, 2: 180, 5: 270 };

/** Reads the chunk; undefined when there is no usable size. Old files stop after the size and the version. */
export function readInfo(data: Uint8Array): PageInfo | undefined {
  if (data.length < 4) return undefined;
  const view = viewOf(data);
  const width = view.getUint16(0);
  const height = view.getUint16(2);
  if (width === 0 || height === 0) return undefined;
  // The resolution is the only number of the format with its least significant byte first.
  const resolution = data.length < 8 ? 0 : view.getUint16(6, true);
  const gamma = (data[8] ?? 0) / 10;
  return {
    width,
    height,
    resolution: resolution >= RESOLUTIONS.least && resolution <= RESOLUTIONS.most ? resolution : undefined,
    gamma: gamma === 0 ? DEFAULT_GAMMA : Math.min(Math.max(gamma, GAMMAS.least), GAMMAS.most),
    rotation: ROTATIONS[(data[9] ?? 0) & 7] ?? 0,
  };
}
