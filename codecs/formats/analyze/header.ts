/** Parses the header of Analyze 7.5 (Mayo Clinic, "ANALYZE 7.5 File Format") with the voxels in the same file. */
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { Reader, viewOf } from '../../metadata/bytes.ts';
import { countPlanes, displayWindow, VOXEL_BYTES, type Volume, type VoxelType } from '../../volumes/volume.ts';

export const NAME = 'Analyze 7.5 volume';
const HEADER_BYTES = 348;
const MAX_DIMENSIONS = 7;

/**
 * DT_*. DT_BINARY is missing because its bit order is not documented. The colours of a plane are stored one after the
 * other.
 */
const TYPES: Readonly<Record<number, VoxelType>> = {
  2: 'uint8',
  4: 'int16',
  8: 'int32',
  16: 'float32',
  32: 'complex64',
  64: 'float64',
  128: 'rgb-planes',
};

const FIELD = { dim: 40, datatype: 70, bitpix: 72, voxOffset: 108, calMax: 124, calMin: 128, orient: 252 } as const;

/**
 * Detects the header. The format has no signature: the size of the header, its dimensions, the type and its bits must
 * all be plausible. Check for NIfTI first, because it uses the same header.
 */
export const isAnalyze = (header: Uint8Array): boolean => findOrder(header) !== undefined;

/** @returns whether the header is little-endian; undefined when it is not a header */
function findOrder(header: Uint8Array): boolean | undefined {
  if (header.length < HEADER_BYTES) return undefined;
  const view = viewOf(header);
  return [true, false].find((littleEndian) => {
    if (view.getInt32(0, littleEndian) !== HEADER_BYTES) return false;
    const type = TYPES[view.getInt16(FIELD.datatype, littleEndian)];
    if (!type || view.getInt16(FIELD.bitpix, littleEndian) !== VOXEL_BYTES[type] * 8) return false;
    const dimensions = view.getInt16(FIELD.dim, littleEndian);
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS) return false;
    // Many writers leave the fourth dimension 0.
    for (let i = 1; i <= dimensions; i++) {
      const count = view.getInt16(FIELD.dim + i * 2, littleEndian);
      if (count < (i <= 2 ? 1 : 0)) return false;
    }
    return true;
  });
}

/** From this code on the rows run from the top down ("flipped"). */
const FLIPPED = 3;

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function parseAnalyze(header: Uint8Array): Volume {
  const littleEndian = findOrder(header);
  if (littleEndian === undefined) throw corruptImage(NAME, 'header');
  const reader = new Reader(header, NAME, littleEndian);
  const view = viewOf(header);
  const [width = 1, height = 1, third] = Array.from({ length: reader.u16(FIELD.dim) }, (_, i) =>
    reader.u16(FIELD.dim + (i + 1) * 2),
  );
  const voxelsAt = Math.max(HEADER_BYTES, Math.floor(view.getFloat32(FIELD.voxOffset, littleEndian)) || 0);
  if (!Number.isSafeInteger(voxelsAt)) throw corruptImage(NAME, 'offset of the voxels');
  if (header.length === HEADER_BYTES) {
    throw unsupportedFormat('an Analyze 7.5 header whose voxels are in another file');
  }
  return {
    width,
    height,
    planes: countPlanes(third),
    type: TYPES[reader.u16(FIELD.datatype)]!,
    littleEndian,
    voxelsAt,
    slope: 1,
    intercept: 0,
    window: displayWindow(view.getFloat32(FIELD.calMin, littleEndian), view.getFloat32(FIELD.calMax, littleEndian)),
    bottomUp: reader.u8(FIELD.orient) < FLIPPED,
  };
}
