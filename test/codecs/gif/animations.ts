/** Animations to encode, and decoders that are independent of our code. */
import { execFileSync } from 'node:child_process';
import sharp from 'sharp';
import type { AnimationFrames } from '../../../codecs/gif/write.ts';
import { findProgram } from '../../support/tool.ts';

export type Rgba = readonly [number, number, number, number];

/** Returns every frame in the same buffer, as a reader with little memory does. */
export function animationOf(
  width: number,
  height: number,
  frames: readonly Uint8Array[],
  timing: Partial<Pick<AnimationFrames, 'delays' | 'loop'>> = {},
): AnimationFrames {
  const samples = new Uint8Array(width * height * 4);
  return {
    width,
    height,
    delays: frames.map(() => 100),
    loop: 0,
    ...timing,
    read(index) {
      samples.set(frames[index] as Uint8Array);
      return samples;
    },
  };
}

/** Makes a frame from a function that returns the colour of each pixel. */
export function frameOf(width: number, height: number, colourAt: (x: number, y: number) => Rgba): Uint8Array {
  const frame = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) frame.set(colourAt(x, y), 4 * (y * width + x));
  return frame;
}

/** Returns a generator of repeatable numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Decodes all frames of a file as consecutive RGBA. A transparent pixel is four zeros. */
export async function decodeWithVips(gif: Uint8Array): Promise<Uint8Array> {
  return toGifSamples(await sharp(gif, { animated: true, limitInputPixels: false }).ensureAlpha().raw().toBuffer());
}

/** Like {@link decodeWithVips}, but decodes with ImageMagick, which must be installed. */
export function decodeWithMagick(gif: Uint8Array): Uint8Array {
  const args = ['gif:-', '-coalesce', '-depth', '8', 'rgba:-'];
  return toGifSamples(execFileSync(findProgram('convert') as string, args, { input: gif, maxBuffer: 2 ** 30 }));
}

/** Returns gifsicle's report on a file, its warnings first. gifsicle must be installed. */
export function gifsicleInfo(gif: Uint8Array): string {
  const script = `'${findProgram('gifsicle')}' --info - 2>&1`;
  return execFileSync('/bin/sh', ['-c', script], { input: gif, encoding: 'utf8' });
}

/** Copies samples in the form that GIF can store: opaque, or four zeros. */
export function toGifSamples(samples: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(samples);
  for (let at = 0; at < copy.length; at += 4) {
    if ((copy[at + 3] as number) < 128) copy.fill(0, at, at + 4);
    else copy[at + 3] = 255;
  }
  return copy;
}

/** Counts the different pixels of a frame. */
export function countColours(samples: Uint8Array): number {
  const { buffer, byteOffset, length } = Uint8Array.from(samples);
  return new Set(new Uint32Array(buffer, byteOffset, length / 4)).size;
}
