import type { Sharp } from 'sharp';
import { makeRandom } from './damage.ts';
import type { RawImage } from './test-images.ts';

export const SCENES = ['photo', 'print', 'sky', 'grain'] as const;
export type Scene = (typeof SCENES)[number];

/**
 * Creates smooth noise from -1 to 1: random values on a grid of `cell` pixels, with cubic interpolation between them.
 */
function smoothNoise(cell: number, seed: number): (x: number, y: number) => number {
  const hash = (x: number, y: number): number => {
    let value = Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(seed, 1442695041);
    value = Math.imul(value ^ (value >>> 13), 1274126177);
    return ((value ^ (value >>> 16)) >>> 0) / 2 ** 31 - 1;
  };
  const ease = (t: number) => t * t * (3 - 2 * t);
  return (x, y) => {
    const column = Math.floor(x / cell);
    const row = Math.floor(y / cell);
    const across = ease(x / cell - column);
    const down = ease(y / cell - row);
    const top = hash(column, row) * (1 - across) + hash(column + 1, row) * across;
    const bottom = hash(column, row + 1) * (1 - across) + hash(column + 1, row + 1) * across;
    return top * (1 - down) + bottom * down;
  };
}

/** Draws shapes with sharp edges, in focus and out of focus, with texture and some grain. */
function photo(seed: number): (x: number, y: number) => [number, number, number] {
  const octaves = [64, 32, 16, 8, 4, 2].map((cell, index) => ({
    at: smoothNoise(cell, seed + index),
    strength: 1.5 ** -index,
  }));
  const hills = smoothNoise(48, seed + 50);
  return (x, y) => {
    const texture = octaves.reduce((sum, { at, strength }) => sum + strength * at(x, y), 0);
    const front = hills(x, 7) * 40 + 90 < y;
    const light = front ? 90 + 40 * texture : 190 - y / 2 + 8 * texture;
    return [light + (front ? 10 : -25), light, light + (front ? -30 : 20)];
  };
}

/** Draws dark strokes of one or two pixels on white, in lines like text. */
function print(seed: number): (x: number, y: number) => [number, number, number] {
  const strokes = smoothNoise(1, seed);
  return (x, y) => {
    const inLine = y % 14 < 9 && x % 50 < 44;
    const ink = inLine && (strokes(x >> 1, (y >> 2) + 1000) > 0.25 || strokes((x >> 1) + 5000, y >> 1) > 0.6);
    return ink ? [25, 25, 30] : [255, 255, 255];
  };
}

export function scene(kind: Scene, width: number, height: number, seed = 1): RawImage {
  const random = makeRandom(seed);
  const sample = {
    photo: photo(seed),
    print: print(seed),
    sky: (x: number, y: number): [number, number, number] => [60 + y / 3 + x / 9, 110 + y / 3 + x / 12, 190 + y / 6],
    grain: (): [number, number, number] => [100 + random(60), 100 + random(60), 100 + random(60)],
  }[kind];
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const [red, green, blue] = sample(x, y);
      data[at] = Math.max(0, Math.min(255, red));
      data[at + 1] = Math.max(0, Math.min(255, green));
      data[at + 2] = Math.max(0, Math.min(255, blue));
    }
  }
  return { data, width, height, channels: 3 };
}

/** Returns the 8-bit luminance of an image, decoded by sharp. */
export async function luminance(image: Sharp): Promise<{ data: Uint8Array; width: number; height: number }> {
  const { data, info } = await image.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

/** Returns the 8-bit RGB samples of an image, decoded by sharp. */
export async function rgb(image: Sharp): Promise<{ data: Uint8Array; width: number; height: number }> {
  const { data, info } = await image.toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}
