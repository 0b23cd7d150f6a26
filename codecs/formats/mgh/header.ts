/** Parses the header of FreeSurfer's MGH and MGZ (FreeSurfer Wiki, "MGH file format"), which is big-endian. */
import { corruptImage } from '../../errors.ts';
import { viewOf } from '../../metadata/bytes.ts';
import { countPlanes, isUpwards, type Volume, type VoxelType } from '../../volumes/volume.ts';

export const NAME = 'FreeSurfer volume';
const VERSION = 1;
const VOXELS_AT = 284;
/** Bytes of the fields; the rest up to the voxels is unused. */
const FIELDS_BYTES = 90;

/** MRI_*. */
const TYPES: Readonly<Record<number, VoxelType>> = { 0: 'uint8', 1: 'int32', 3: 'float32', 4: 'int16', 10: 'uint16' };

/** Width, height, depth and frames follow the version. */
const FIELD = { dimensions: 4, type: 20, goodOrientation: 28, secondDirection: 54 } as const;

/**
 * Detects the header. Four bytes of version are no signature, so every field must be plausible and the unused bytes
 * zero.
 */
export function isMgh(header: Uint8Array): boolean {
  if (header.length < VOXELS_AT) return false;
  const view = viewOf(header);
  if (view.getInt32(0) !== VERSION || !TYPES[view.getInt32(FIELD.type)]) return false;
  if (view.getInt16(FIELD.goodOrientation) >>> 1 !== 0) return false;
  for (let i = 0; i < 4; i++) if (view.getInt32(FIELD.dimensions + i * 4) < 1) return false;
  return header.subarray(FIELDS_BYTES, VOXELS_AT).every((byte) => byte === 0);
}

/** @throws Failure `corrupt_image` */
export function parseMgh(header: Uint8Array): Volume {
  if (!isMgh(header)) throw corruptImage(NAME, 'header');
  const view = viewOf(header);
  const [width = 1, height = 1, third] = [0, 1, 2, 3].map((i) => view.getInt32(FIELD.dimensions + i * 4));
  return {
    width,
    height,
    planes: countPlanes(third),
    type: TYPES[view.getInt32(FIELD.type)]!,
    littleEndian: false,
    voxelsAt: VOXELS_AT,
    slope: 1,
    intercept: 0,
    window: undefined,
    // Without directions a volume is coronal, with its rows from the top down.
    bottomUp:
      view.getInt16(FIELD.goodOrientation) === 1 &&
      isUpwards([0, 4, 8].map((offset) => view.getFloat32(FIELD.secondDirection + offset))),
  };
}
