/** Parses the headers of NIfTI-1 and NIfTI-2 (R. Cox et al., nifti1.h, 2003-2007, and nifti2.h, 2011). */
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { Reader, startsWith, viewOf } from '../../metadata/bytes.ts';
import { countPlanes, displayWindow, isUpwards, type Volume, type VoxelType } from '../../volumes/volume.ts';

export const NAME = 'NIfTI volume';

/** Offsets of the fields, as in the structure of each version's header file. */
interface Layout {
  headerBytes: number;
  wide: boolean;
  magicAt: number;
  /** Magic of a file with header and voxels. */
  single: string;
  /** Magic of a header whose voxels are in another file. */
  pair: string;
  dim: number;
  datatype: number;
  voxOffset: number;
  slope: number;
  calMax: number;
  qformCode: number;
  quaternion: number;
  srow: number;
}

const NIFTI_1: Layout = {
  headerBytes: 348,
  wide: false,
  magicAt: 344,
  single: 'n+1\0',
  pair: 'ni1\0',
  dim: 40,
  datatype: 70,
  voxOffset: 108,
  slope: 112,
  calMax: 124,
  qformCode: 252,
  quaternion: 256,
  srow: 280,
};

/** The bytes after the name detect a transfer that changed line ends. */
const NIFTI_2: Layout = {
  headerBytes: 540,
  wide: true,
  magicAt: 4,
  single: 'n+2\0\r\n\x1a\n',
  pair: 'ni2\0\r\n\x1a\n',
  dim: 16,
  datatype: 12,
  voxOffset: 168,
  slope: 176,
  calMax: 192,
  qformCode: 344,
  quaternion: 352,
  srow: 400,
};

/** NIFTI_TYPE_*. Single bits and 128-bit numbers are missing because their bit order is not specified. */
const TYPES: Readonly<Record<number, VoxelType>> = {
  2: 'uint8',
  4: 'int16',
  8: 'int32',
  16: 'float32',
  32: 'complex64',
  64: 'float64',
  128: 'rgb24',
  256: 'int8',
  512: 'uint16',
  768: 'uint32',
  1024: 'int64',
  1280: 'uint64',
  1792: 'complex128',
  2304: 'rgba32',
};

export const isNifti = (header: Uint8Array): boolean => findLayout(header) !== undefined;

function findLayout(header: Uint8Array): (Layout & { littleEndian: boolean }) | undefined {
  for (const layout of [NIFTI_1, NIFTI_2]) {
    const magic = header.subarray(layout.magicAt);
    if (header.length < layout.headerBytes || !(startsWith(magic, layout.single) || startsWith(magic, layout.pair))) {
      continue;
    }
    for (const littleEndian of [true, false]) {
      if (viewOf(header).getInt32(0, littleEndian) === layout.headerBytes) return { ...layout, littleEndian };
    }
  }
  return undefined;
}

/** The header is followed by four bytes that declare extensions. */
const EXTENSION_FLAG_BYTES = 4;
const MAX_DIMENSIONS = 7;
/** No image can be made of a larger plane anyway. */
const MAX_DIMENSION_LENGTH = 2 ** 31;

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function parseNifti(header: Uint8Array): Volume {
  const layout = findLayout(header);
  if (!layout) throw corruptImage(NAME, 'header');
  if (startsWith(header.subarray(layout.magicAt), layout.pair)) {
    throw unsupportedFormat('a NIfTI header whose voxels are in another file');
  }
  const fields = new Fields(header, layout);
  const dimensions = fields.int(layout.dim);
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) throw corruptImage(NAME, `${dimensions} dimensions`);
  const dim = Array.from({ length: dimensions }, (_, i) => fields.int(layout.dim, i + 1));
  const [width = 1, height = 1, third] = dim;
  if (dim.some((count) => count < 0 || count >= MAX_DIMENSION_LENGTH) || width === 0)
    throw corruptImage(NAME, `${dim}`);

  const code = fields.reader.u16(layout.datatype);
  const type = TYPES[code];
  if (!type) throw unsupportedFormat(`a NIfTI volume of data type ${code}`);
  const slope = fields.float(layout.slope);
  const intercept = fields.float(layout.slope, 1);
  const scaled = slope !== 0 && Number.isFinite(slope) && Number.isFinite(intercept);
  return {
    width,
    height: Math.max(1, height),
    planes: countPlanes(third),
    type,
    littleEndian: layout.littleEndian,
    voxelsAt: Math.max(fields.voxelsAt(), layout.headerBytes + EXTENSION_FLAG_BYTES),
    slope: scaled ? slope : 1,
    intercept: scaled ? intercept : 0,
    window: displayWindow(fields.float(layout.calMax, 1), fields.float(layout.calMax)),
    bottomUp: isBottomUp(fields),
  };
}

/** Reads header fields, whose integers and real numbers are wider in the second version. */
class Fields {
  readonly reader: Reader;
  readonly layout: Layout;
  readonly #view: DataView;

  constructor(header: Uint8Array, layout: Layout & { littleEndian: boolean }) {
    this.reader = new Reader(header, NAME, layout.littleEndian);
    this.layout = layout;
    this.#view = viewOf(header);
  }

  /** Reads the count of a dimension. */
  int(at: number, index = 0): number {
    const { littleEndian } = this.reader;
    if (this.layout.wide) return Number(this.#view.getBigInt64(at + index * 8, littleEndian));
    return this.#view.getInt16(at + index * 2, littleEndian);
  }

  float(at: number, index = 0): number {
    const { littleEndian } = this.reader;
    if (this.layout.wide) return this.#view.getFloat64(at + index * 8, littleEndian);
    return this.#view.getFloat32(at + index * 4, littleEndian);
  }

  /** Reads the code of a transform. */
  code(at: number): number {
    return this.layout.wide ? this.reader.u32(at) : this.reader.u16(at);
  }

  /** Reads the offset of the voxels, which the first version stores as a real number. */
  voxelsAt(): number {
    const { voxOffset, wide } = this.layout;
    const at = wide ? this.int(voxOffset) : Math.floor(this.float(voxOffset));
    if (!(at >= 0 && Number.isSafeInteger(at))) throw corruptImage(NAME, 'offset of the voxels');
    return at;
  }
}

/**
 * Whether the second dimension runs towards the right, anterior or superior of the patient (nifti1.h, "Three methods
 * for orienting 3-D volumes"), as it does without a transform.
 */
function isBottomUp(fields: Fields): boolean {
  const { qformCode, quaternion, srow, wide } = fields.layout;
  if (fields.code(qformCode + (wide ? 4 : 2)) > 0) {
    return isUpwards([1, 5, 9].map((element) => fields.float(srow, element)));
  }
  if (fields.code(qformCode) > 0) {
    const [b = 0, c = 0, d = 0] = [0, 1, 2].map((element) => fields.float(quaternion, element));
    const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
    return isUpwards([2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)]);
  }
  return true;
}
