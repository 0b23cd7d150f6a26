/** Helpers that the DICOM tests share. */
import assert from 'node:assert/strict';
import type { Bitmap, BitmapContent } from '../../../../codecs/bitmap.ts';
import type { Probe, ReaderContext } from '../../../../codecs/format-reader.ts';
import { reader as dicomReader } from '../../../../codecs/formats/dicom/read.ts';
import { compileModule } from '../../../../codecs/modules.ts';
import { startVips } from '../../../../codecs/vips.ts';
import { makeRandom } from '../../../support/damage.ts';

export const MAX_PIXELS = 1_000_000;

let started: Promise<ReaderContext> | undefined;

async function start(): Promise<ReaderContext> {
  const { vips } = await startVips({ vips: await compileModule('vips') });
  return { vips, modules: {} as ReaderContext['modules'] };
}

/** Returns a context with libvips, which decodes the 8-bit JPEG frames. */
export function realContext(): Promise<ReaderContext> {
  started ??= start();
  return started;
}

export async function probe(bytes: Uint8Array, page = 1): Promise<Probe> {
  return await dicomReader.probe(bytes, { page, extension: '' }, {} as ReaderContext);
}

export async function decode(
  bytes: Uint8Array,
  page = 1,
  context: ReaderContext = {} as ReaderContext,
): Promise<BitmapContent> {
  return await dicomReader.decode(bytes, { page, extension: '', maxPixels: MAX_PIXELS, scale: 1 }, context);
}

/**
 * Decodes a frame and checks it against the probe. The file is passed as a view into a larger buffer, because `slice`
 * of a Buffer does not copy. Also checks that the file is unchanged.
 */
export async function bitmapOf(file: Uint8Array, page = 1, context?: ReaderContext): Promise<Bitmap> {
  const bytes = Buffer.concat([Buffer.from([1, 2, 3]), file]).subarray(3);
  const { width, height } = await probe(bytes, page);
  const content = await decode(bytes, page, context);
  assert.ok('bitmap' in content);
  assert.ok(bytes.equals(file));
  assert.deepEqual([content.bitmap.width, content.bitmap.height], [width, height]);
  assert.equal(content.bitmap.data.length, width * height * content.bitmap.channels);
  return content.bitmap;
}

export async function samplesOf(file: Uint8Array, page = 1, context?: ReaderContext): Promise<number[]> {
  return Array.from((await bitmapOf(file, page, context)).data);
}

/** Returns pseudo-random numbers below a bound, the same in every run. */
export function noise(count: number, below: number, seed = 1): number[] {
  const random = makeRandom(seed);
  return Array.from({ length: count }, () => random(below));
}

/** Returns numbers that rise and fall slowly, as in a photo. */
export function waves(width: number, height: number, most: number, phase = 0): number[] {
  return Array.from({ length: width * height }, (_, index) => {
    const [x, y] = [index % width, Math.floor(index / width)];
    return Math.round(((Math.sin(x / 5 + phase) + Math.cos(y / 4) + 2) / 4) * most);
  });
}

/** Returns the largest difference between two lists. */
export function largestDifference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  assert.equal(one.length, other.length);
  let far = 0;
  for (let index = 0; index < one.length; index++) far = Math.max(far, Math.abs(one[index]! - other[index]!));
  return far;
}

/** Checks that each grey level is the nearest one to its exact value. At a midpoint, either neighbour is accepted. */
export function assertNearest(levels: readonly number[], exact: readonly number[]): void {
  assert.equal(levels.length, exact.length);
  for (const [index, level] of levels.entries()) {
    assert.ok(Math.abs(level - exact[index]!) < 0.5 + 1e-9, `${level} at ${index} for ${exact[index]}`);
  }
}
