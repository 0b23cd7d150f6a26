/** Unpacks tiles of 64 x 64 pixels to 8 bits per channel. */
import { inflateSync } from 'node:zlib';
import { corruptImage } from '../../errors.ts';
import { halfTable, toAlpha, toSrgb } from '../../linear-light.ts';
import { FORMATS } from '../registry.ts';
import { type Precision, pointersAt, type Xcf } from './structure.ts';

export const TILE = 64;
const MAX_TILES = 1 << 22;
const [PLAIN, RUN_LENGTHS, ZLIB] = [0, 1, 2];

const damaged = (cause: unknown) => corruptImage(FORMATS.xcf.name, cause);

/** Returns the offsets of the full-size tiles, row by row. @throws Failure `corrupt_image` */
export function tilePointers(xcf: Xcf, hierarchy: number): number[] {
  const { reader, pointerBytes } = xcf;
  const levelAt = hierarchy + 12;
  const level = pointerBytes === 8 ? reader.u64(levelAt) : reader.u32(levelAt);
  return pointersAt(xcf, level + 8, MAX_TILES);
}

/**
 * Unpacks a tile.
 * @param channels channels of a pixel; the last one is an alpha if `hasAlpha`
 * @throws Failure `corrupt_image`
 */
export function unpackTile(xcf: Xcf, at: number, pixels: number, channels: number, hasAlpha: boolean): Uint8Array {
  const { precision, compression, reader } = xcf;
  const length = pixels * channels * precision.bytes;
  const packed = reader.bytes.subarray(at);
  const data =
    compression === PLAIN
      ? reader.slice(at, length)
      : compression === RUN_LENGTHS
        ? unpackRuns(packed, pixels, channels * precision.bytes)
        : compression === ZLIB
          ? inflate(packed, length)
          : undefined;
  if (!data || data.length < length) throw damaged('a tile ends early');
  return precision.bytes === 1 && !precision.linear
    ? data
    : toBytes(data, pixels * channels, precision, hasAlpha ? channels : 0);
}

function inflate(packed: Uint8Array, length: number): Uint8Array {
  try {
    // Incompressible tiles grow by a few bytes; others shrink.
    return inflateSync(packed.subarray(0, length + 1024), { maxOutputLength: length });
  } catch (error) {
    throw damaged(error);
  }
}

/**
 * Unpacks each byte of the pixels in turn, for all pixels: runs of up to 127 equal or 128 different bytes, or with a
 * longer count.
 */
function unpackRuns(packed: Uint8Array, pixels: number, pixelBytes: number): Uint8Array {
  const data = new Uint8Array(pixels * pixelBytes);
  let at = 0;
  for (let byte = 0; byte < pixelBytes; byte++) {
    for (let pixel = 0; pixel < pixels; ) {
      if (at >= packed.length) throw damaged('a tile ends early');
      const code = packed[at++]!;
      const same = code < 128;
      let count = same ? code + 1 : 256 - code;
      if (code === 127 || code === 128) {
        count = (packed[at] ?? 0) * 256 + (packed[at + 1] ?? 0);
        at += 2;
      }
      const end = pixel + count;
      if (count === 0 || end > pixels) throw damaged('a run beyond its tile');
      for (; pixel < end; pixel++) data[pixel * pixelBytes + byte] = packed[same ? at : at++] ?? 0;
      if (same) at++;
    }
  }
  return data;
}

/** @param alphaEvery distance between alpha values, which are always linear; 0 for none */
function toBytes(data: Uint8Array, count: number, precision: Precision, alphaEvery: number): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const samples = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const value = valueAt(view, index, precision);
    const alpha = alphaEvery !== 0 && index % alphaEvery === alphaEvery - 1;
    const level = alpha || !precision.linear ? toAlpha(value) : toSrgb(value);
    samples[index] = Math.round(level / 257);
  }
  return samples;
}

/** Returns a value as 0 to 1. */
function valueAt(view: DataView, index: number, { bytes, float, littleEndian }: Precision): number {
  switch (bytes) {
    case 1:
      return view.getUint8(index) / 0xff;
    case 2: {
      const word = view.getUint16(index * 2, littleEndian);
      return float ? halfTable()[word]! : word / 0xffff;
    }
    case 4:
      return float ? view.getFloat32(index * 4, littleEndian) : view.getUint32(index * 4, littleEndian) / 0xffff_ffff;
    default:
      return view.getFloat64(index * 8, littleEndian);
  }
}
