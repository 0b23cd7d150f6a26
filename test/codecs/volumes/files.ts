/** Writes small volume files field by field, by the public descriptions of their headers. */

type Order = 'LE' | 'BE';

export interface VolumeFile {
  dim: readonly number[];
  /** The format's data type code. */
  datatype: number;
  voxels: Uint8Array;
  order?: Order;
  slope?: number;
  intercept?: number;
  calMin?: number;
  calMax?: number;
  /** Three rows of the transform. Without it, the form codes are 0. */
  srow?: readonly number[];
  quaternion?: readonly [number, number, number];
  voxelsAt?: number;
  magic?: string;
  bitpix?: number;
  orient?: number;
}

/** Returns functions that write numbers into a buffer in one byte order. */
function byteOrderWriter(size: number, order: Order = 'LE') {
  const bytes = Buffer.alloc(size);
  return {
    bytes,
    i16: (at: number, value: number) => bytes[`writeInt16${order}`](value, at),
    i32: (at: number, value: number) => bytes[`writeInt32${order}`](value, at),
    i64: (at: number, value: number) => bytes[`writeBigInt64${order}`](BigInt(value), at),
    f32: (at: number, value: number) => bytes[`writeFloat${order}`](value, at),
    f64: (at: number, value: number) => bytes[`writeDouble${order}`](value, at),
  };
}

export function nifti1(file: VolumeFile): Uint8Array {
  const voxelsAt = file.voxelsAt ?? 352;
  const { bytes, i16, i32, f32 } = byteOrderWriter(voxelsAt, file.order);
  i32(0, 348);
  i16(40, file.dim.length);
  for (const [i, count] of file.dim.entries()) i16(42 + i * 2, count);
  i16(70, file.datatype);
  f32(108, voxelsAt);
  f32(112, file.slope ?? 0);
  f32(116, file.intercept ?? 0);
  f32(124, file.calMax ?? 0);
  f32(128, file.calMin ?? 0);
  if (file.quaternion) {
    i16(252, 1);
    for (const [i, value] of file.quaternion.entries()) f32(256 + i * 4, value);
  }
  if (file.srow) {
    i16(254, 1);
    for (const [i, value] of file.srow.entries()) f32(280 + i * 4, value);
  }
  bytes.write(file.magic ?? 'n+1\0', 344, 'latin1');
  return Buffer.concat([bytes, file.voxels]);
}

export function nifti2(file: VolumeFile): Uint8Array {
  const voxelsAt = file.voxelsAt ?? 544;
  const { bytes, i16, i32, i64, f64 } = byteOrderWriter(voxelsAt, file.order);
  i32(0, 540);
  bytes.write(file.magic ?? 'n+2\0\r\n\x1a\n', 4, 'latin1');
  i16(12, file.datatype);
  i64(16, file.dim.length);
  for (const [i, count] of file.dim.entries()) i64(24 + i * 8, count);
  i64(168, voxelsAt);
  f64(176, file.slope ?? 0);
  f64(184, file.intercept ?? 0);
  f64(192, file.calMax ?? 0);
  f64(200, file.calMin ?? 0);
  if (file.quaternion) {
    i32(344, 1);
    for (const [i, value] of file.quaternion.entries()) f64(352 + i * 8, value);
  }
  if (file.srow) {
    i32(348, 1);
    for (const [i, value] of file.srow.entries()) f64(400 + i * 8, value);
  }
  return Buffer.concat([bytes, file.voxels]);
}

export function analyze(file: VolumeFile & { bitpix: number }): Uint8Array {
  const { bytes, i16, i32, f32 } = byteOrderWriter(file.voxelsAt ?? 348, file.order);
  i32(0, 348);
  i32(32, 16384);
  bytes.write('r', 38, 'latin1');
  i16(40, file.dim.length);
  for (const [i, count] of file.dim.entries()) i16(42 + i * 2, count);
  i16(70, file.datatype);
  i16(72, file.bitpix);
  f32(108, file.voxelsAt ?? 0);
  f32(124, file.calMax ?? 0);
  f32(128, file.calMin ?? 0);
  bytes[252] = file.orient ?? 0;
  return Buffer.concat([bytes, file.voxels]);
}

export function mgh(file: {
  dim: readonly [number, number, number, number];
  type: number;
  voxels: Uint8Array;
  /** Right, anterior and superior components of the second dimension. */
  second?: readonly [number, number, number];
}): Uint8Array {
  const { bytes, i16, i32, f32 } = byteOrderWriter(284, 'BE');
  i32(0, 1);
  for (const [i, count] of file.dim.entries()) i32(4 + i * 4, count);
  i32(20, file.type);
  if (file.second) {
    i16(28, 1);
    for (const [i, value] of file.second.entries()) f32(54 + i * 4, value);
  }
  return Buffer.concat([bytes, file.voxels]);
}

/** Returns the bytes of numbers in one byte order. */
export function pack(
  type: 'Int8' | 'UInt8' | 'Int16' | 'UInt16' | 'Int32' | 'UInt32' | 'BigInt64' | 'BigUInt64' | 'Float' | 'Double',
  values: readonly number[],
  order: Order = 'LE',
): Uint8Array {
  const width = { Int8: 1, UInt8: 1, Int16: 2, UInt16: 2, Int32: 4, UInt32: 4, Float: 4 }[type as string] ?? 8;
  const bytes = Buffer.alloc(values.length * width);
  for (const [i, value] of values.entries()) {
    const at = i * width;
    if (type === 'Int8' || type === 'UInt8') bytes[`write${type}`](value, at);
    else if (type === 'BigInt64' || type === 'BigUInt64') bytes[`write${type}${order}`](BigInt(value), at);
    else bytes[`write${type}${order}`](value, at);
  }
  return bytes;
}
