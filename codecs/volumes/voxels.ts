/** Converts voxels to numbers and to grey. */
import { corruptImage } from '../errors.ts';
import { VOXEL_BYTES, type Volume } from './volume.ts';

/** Reads `count` stored values from the start of `voxels`. */
export function readNumbers(
  voxels: Uint8Array,
  count: number,
  { type, littleEndian }: Pick<Volume, 'type' | 'littleEndian'>,
  out: Float64Array,
) {
  const view = new DataView(voxels.buffer, voxels.byteOffset, voxels.byteLength);
  switch (type) {
    case 'uint8':
      for (let i = 0; i < count; i++) out[i] = voxels[i]!;
      return;
    case 'int8':
      for (let i = 0; i < count; i++) out[i] = view.getInt8(i);
      return;
    case 'uint16':
      for (let i = 0; i < count; i++) out[i] = view.getUint16(i * 2, littleEndian);
      return;
    case 'int16':
      for (let i = 0; i < count; i++) out[i] = view.getInt16(i * 2, littleEndian);
      return;
    case 'uint32':
      for (let i = 0; i < count; i++) out[i] = view.getUint32(i * 4, littleEndian);
      return;
    case 'int32':
      for (let i = 0; i < count; i++) out[i] = view.getInt32(i * 4, littleEndian);
      return;
    case 'uint64':
      for (let i = 0; i < count; i++) {
        const high = view.getUint32(i * 8 + (littleEndian ? 4 : 0), littleEndian);
        out[i] = high * 2 ** 32 + view.getUint32(i * 8 + (littleEndian ? 0 : 4), littleEndian);
      }
      return;
    case 'int64':
      for (let i = 0; i < count; i++) {
        const high = view.getInt32(i * 8 + (littleEndian ? 4 : 0), littleEndian);
        out[i] = high * 2 ** 32 + view.getUint32(i * 8 + (littleEndian ? 0 : 4), littleEndian);
      }
      return;
    case 'float32':
      for (let i = 0; i < count; i++) out[i] = view.getFloat32(i * 4, littleEndian);
      return;
    case 'float64':
      for (let i = 0; i < count; i++) out[i] = view.getFloat64(i * 8, littleEndian);
      return;
    case 'complex64':
      for (let i = 0; i < count; i++) {
        out[i] = magnitude(view.getFloat32(i * 8, littleEndian), view.getFloat32(i * 8 + 4, littleEndian));
      }
      return;
    case 'complex128':
      for (let i = 0; i < count; i++) {
        out[i] = magnitude(view.getFloat64(i * 16, littleEndian), view.getFloat64(i * 16 + 8, littleEndian));
      }
      return;
    default:
      throw corruptImage('volume', `${type} is no number`);
  }
}

const magnitude = (real: number, imaginary: number): number => Math.sqrt(real * real + imaginary * imaginary);

/** Share of the voxels beyond each end of the range, as in 3D Slicer's automatic window. */
const OUTLIERS = 0.001;

/**
 * Finds the range of values to show when the file declares none: from the 0.1th to the 99.9th percentile. Uses all
 * values where those two are equal, as in a mask of a small structure. Ignores numbers that are not finite.
 */
export function robustRange(values: Float64Array): { low: number; high: number } {
  let count = 0;
  const finite = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) finite[count++] = values[i]!;
  finite.subarray(0, count).sort();
  const last = count - 1;
  if (last < 0) return { low: 0, high: 0 };
  const low = finite[Math.floor(last * OUTLIERS)]!;
  const high = finite[Math.ceil(last * (1 - OUTLIERS))]!;
  return low < high ? { low, high } : { low: finite[0]!, high: finite[last]! };
}

const BLOCK = 4096;

/** Maps the first `count` voxels linearly from the window to black and white; NaN becomes black. */
export function toGrey(voxels: Uint8Array, count: number, volume: Volume, window: { low: number; high: number }) {
  const grey = new Uint8ClampedArray(volume.width * volume.height);
  const perUnit = window.high > window.low ? 255 / (window.high - window.low) : 0;
  const factor = volume.slope * perUnit;
  const offset = (volume.intercept - window.low) * perUnit;
  const bytes = VOXEL_BYTES[volume.type];
  const block = new Float64Array(BLOCK);
  for (let start = 0; start < count; start += BLOCK) {
    const size = Math.min(BLOCK, count - start);
    readNumbers(voxels.subarray(start * bytes, (start + size) * bytes), size, volume, block);
    for (let i = 0; i < size; i++) grey[start + i] = block[i]! * factor + offset;
  }
  return new Uint8Array(grey.buffer);
}

/** Returns the first `count` coloured voxels as RGB or RGBA. */
export function toColour(voxels: Uint8Array, count: number, { type, width, height }: Volume): Uint8Array {
  const pixels = width * height;
  const colours = new Uint8Array(pixels * VOXEL_BYTES[type]);
  if (type !== 'rgb-planes') {
    colours.set(voxels.subarray(0, count * VOXEL_BYTES[type]));
    return colours;
  }
  const channels = 3;
  for (let at = 0; at < voxels.length; at++) {
    colours[(at % pixels) * channels + Math.floor(at / pixels)] = voxels[at]!;
  }
  return colours;
}
