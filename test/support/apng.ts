/** Writes small animated PNG files, chunk by chunk, also invalid ones. */
import { deflateSync } from 'node:zlib';
import { be16, be32, text, u8 } from '../../bench/bombs/bytes.ts';
import { chunk } from '../../bench/bombs/png.ts';

export interface ApngFrame {
  left?: number;
  top?: number;
  width: number;
  height: number;
  /** Samples of one pixel, which all pixels have; 0 to 255, or to 65,535 for a depth of 16. */
  pixel: readonly number[];
  /** Numerator and denominator of the delay in seconds. Default: 1/10. */
  delay?: readonly [number, number];
  /** 0 none, 1 background, 2 previous. */
  disposal?: number;
  /** 0 source, 1 over. */
  blend?: number;
  /** Default: the next one. */
  sequence?: number;
  /** Instead of deflated rows. */
  data?: Uint8Array;
}

export interface Apng {
  width: number;
  height: number;
  frames: readonly ApngFrame[];
  plays?: number;
  /** Default: 6, which is RGBA. */
  colourType?: 2 | 6;
  depth?: 8 | 16;
  /** The pixel of a default image that is not a frame. Default: the first frame is the default image. */
  defaultPixel?: readonly number[];
  /** Default: the number of frames. */
  declared?: number;
}

function rows(width: number, height: number, pixel: readonly number[], depth: 8 | 16): Buffer {
  const samples = depth === 16 ? be16(...pixel) : Buffer.from(pixel);
  const row = Buffer.concat([u8(0), ...Array.from({ length: width }, () => samples)]);
  return deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
}

export function makeApng({ width, height, frames, plays = 0, colourType = 6, depth = 8, ...rest }: Apng): Buffer {
  const { defaultPixel, declared = frames.length } = rest;
  let next = 0;
  const parts = [
    text('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', Buffer.concat([be32(width, height), u8(depth, colourType, 0, 0, 0)])),
    chunk('acTL', be32(declared, plays)),
    ...(defaultPixel ? [chunk('IDAT', rows(width, height, defaultPixel, depth))] : []),
  ];
  for (const [index, frame] of frames.entries()) {
    const { left = 0, top = 0, delay = [1, 10], disposal = 0, blend = 0, sequence = next } = frame;
    const data = frame.data ?? rows(frame.width, frame.height, frame.pixel, depth);
    next = sequence + 1;
    parts.push(
      chunk(
        'fcTL',
        Buffer.concat([be32(sequence, frame.width, frame.height, left, top), be16(...delay), u8(disposal, blend)]),
      ),
    );
    if (data.length === 0) continue;
    if (index === 0 && !defaultPixel) parts.push(chunk('IDAT', Buffer.from(data)));
    else {
      parts.push(chunk('fdAT', Buffer.concat([be32(next), data])));
      next += 1;
    }
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}
