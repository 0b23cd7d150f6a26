/** A common form for the headers of the volume formats. */

/**
 * How a voxel is stored. `complex` is shown by its magnitude; `rgb-planes` stores the red, green and blue of a plane
 * one after the other, `rgb24` and `rgba32` by voxel.
 */
export const VOXEL_BYTES = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  uint64: 8,
  int64: 8,
  float32: 4,
  float64: 8,
  complex64: 8,
  complex128: 16,
  rgb24: 3,
  'rgb-planes': 3,
  rgba32: 4,
} as const;

export type VoxelType = keyof typeof VOXEL_BYTES;

export interface Volume {
  /** Voxels of the first dimension. */
  width: number;
  /** Voxels of the second dimension. */
  height: number;
  /** Number of planes of the first volume. Later volumes of a series show the same place at another time. */
  planes: number;
  type: VoxelType;
  littleEndian: boolean;
  /** Offset of the first voxel in the decompressed file. */
  voxelsAt: number;
  /** Value = slope x stored + intercept. */
  slope: number;
  intercept: number;
  /** Values shown as black and as white, if the file declares them. */
  window: { low: number; high: number } | undefined;
  /** Whether the second dimension runs upwards in the body, so that its last row is the top row of the image. */
  bottomUp: boolean;
}

export const isColour = ({ type }: Volume): boolean => type === 'rgb24' || type === 'rgb-planes' || type === 'rgba32';

export const planeBytes = ({ width, height, type }: Volume): number => width * height * VOXEL_BYTES[type];

/** Returns the window, or undefined when it is unset: empty or not a number. */
export const displayWindow = (low: number, high: number): Volume['window'] =>
  Number.isFinite(low) && Number.isFinite(high) && low < high ? { low, high } : undefined;

/** @param third count of the third dimension; unset when not positive, and then counted as one */
export const countPlanes = (third = 1): number => Math.max(1, third);

/**
 * Whether a direction (right, anterior, superior) runs towards the right, anterior or superior of the patient, by the
 * sign of its largest component.
 */
export const isUpwards = (direction: readonly number[]): boolean =>
  direction.reduce((best, part) => (Math.abs(part) > Math.abs(best) ? part : best), 0) >= 0;
