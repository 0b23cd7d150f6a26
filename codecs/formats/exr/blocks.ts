/** Unpacks blocks of lines or tiles of OpenEXR files. Samples are ordered by line, and in a line by channel. */

import { inflateSync } from 'node:zlib';
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { FORMATS } from '../registry.ts';
import { type Channel, PIXEL_TYPE } from './header.ts';
import { unpackPiz } from './piz.ts';

/** How a compression works, by its number: the lines of a block, and how it is unpacked. */
interface Compression {
  lines: number;
  unpack(packed: Uint8Array, block: Block): Uint8Array;
}

export interface Block extends Size {
  channels: readonly Channel[];
  /** Bytes of all samples. */
  bytes: number;
}

const COMPRESSIONS: readonly Compression[] = [
  { lines: 1, unpack: (packed) => packed },
  { lines: 1, unpack: (packed, { bytes }) => unshuffle(unpackRuns(packed, bytes)) },
  { lines: 1, unpack: (packed, { bytes }) => unshuffle(inflate(packed, bytes)) },
  { lines: 16, unpack: (packed, { bytes }) => unshuffle(inflate(packed, bytes)) },
  { lines: 32, unpack: unpackWavelets },
  { lines: 16, unpack: unpackPxr24 },
];

/** Returns the lines of a block; undefined for an unsupported compression. */
export const linesPerBlock = (compression: number): number | undefined => COMPRESSIONS[compression]?.lines;

/** @throws Failure `corrupt_image` */
export function unpackBlock(packed: Uint8Array, compression: number, block: Block): Uint8Array {
  // Data that would not shrink are stored uncompressed.
  const data = packed.length === block.bytes ? packed : COMPRESSIONS[compression]!.unpack(packed, block);
  if (data.length < block.bytes) throw damaged('a block ends early');
  return data;
}

const damaged = (cause: unknown) => corruptImage(FORMATS.exr.name, cause);

function inflate(packed: Uint8Array, bytes: number): Uint8Array {
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (error) {
    throw damaged(error);
  }
}

/**
 * Unpacks runs. A negative count is followed by that many bytes, any other by a byte that is repeated count + 1 times.
 */
function unpackRuns(packed: Uint8Array, bytes: number): Uint8Array {
  const data = new Uint8Array(bytes);
  let end = 0;
  for (let at = 0; at < packed.length && end < bytes; ) {
    const count = (packed[at++]! << 24) >> 24;
    if (count < 0) {
      const literal = packed.subarray(at, Math.min(at - count, at + bytes - end));
      data.set(literal, end);
      at -= count;
      end += literal.length;
    } else {
      const next = Math.min(bytes, end + count + 1);
      data.fill(packed[at++] ?? 0, end, next);
      end = next;
    }
  }
  if (end < bytes) throw damaged('runs end early');
  return data;
}

/** Undoes the differences of bytes, and the order of even offsets before odd ones. */
function unshuffle(bytes: Uint8Array): Uint8Array {
  const half = (bytes.length + 1) >> 1;
  const data = new Uint8Array(bytes.length);
  let value = bytes[0] ?? 0;
  data[0] = value;
  for (let index = 1; index < bytes.length; index++) {
    value = (value + bytes[index]! - 128) & 0xff;
    data[index < half ? index * 2 : (index - half) * 2 + 1] = value;
  }
  return data;
}

function unpackWavelets(packed: Uint8Array, { channels, width, height, bytes }: Block): Uint8Array {
  const planes = channels.map((channel) => ({ width, height, words: channel.bytes / 2 }));
  const words = unpackPiz(packed, planes);
  const data = new Uint8Array(bytes);
  const view = new DataView(data.buffer);
  let [plane, column] = [0, 0];
  for (const { words: perSample } of planes) {
    const rowWords = width * perSample;
    for (let y = 0; y < height; y++) {
      const to = (y * bytes) / height + column;
      for (let word = 0; word < rowWords; word++)
        view.setUint16(to + word * 2, words[plane + y * rowWords + word]!, true);
    }
    plane += rowWords * height;
    column += rowWords * 2;
  }
  return data;
}

/** Bytes kept of each sample: floats lose their lowest byte. */
const PXR24_BYTES = { [PIXEL_TYPE.uint]: 4, [PIXEL_TYPE.half]: 2, [PIXEL_TYPE.float]: 3 } as Readonly<
  Record<number, number>
>;

/** Undoes the differences of samples, stored with their highest bytes first, in each line of each channel. */
function unpackPxr24(packed: Uint8Array, { channels, width, height, bytes }: Block): Uint8Array {
  const perPixel = channels.reduce((sum, { type }) => sum + PXR24_BYTES[type]!, 0);
  const planes = inflate(packed, perPixel * width * height);
  if (planes.length < perPixel * width * height) throw damaged('a block ends early');
  const data = new Uint8Array(bytes);
  const view = new DataView(data.buffer);
  let [from, to] = [0, 0];
  for (let y = 0; y < height; y++) {
    for (const { type, bytes: size } of channels) {
      const kept = PXR24_BYTES[type]!;
      let value = 0;
      for (let x = 0; x < width; x++, to += size) {
        let difference = 0;
        for (let byte = 0; byte < kept; byte++) difference = (difference << 8) | planes[from + byte * width + x]!;
        value = (value + (type === PIXEL_TYPE.float ? difference << 8 : difference)) | 0;
        if (size === 2) view.setUint16(to, value & 0xffff, true);
        else view.setUint32(to, value >>> 0, true);
      }
      from += kept * width;
    }
  }
  return data;
}
