/** Reads bitmaps with the format readers and checks the contract of codecs/format-reader.ts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Failure } from '../../base/failure.ts';
import type { Bitmap, BitmapContent } from '../../codecs/bitmap.ts';
import type { FormatReader, Probe, ReaderContext } from '../../codecs/format-reader.ts';
import { compileModule, type Modules } from '../../codecs/modules.ts';
import type { Shrink } from '../../codecs/shrink.ts';
import { damaged } from './damage.ts';

const ENOUGH_PIXELS = 1_000_000;
/** For readers that need nothing from the worker except its kernels. */
const CONTEXT = { modules: { kernels: await compileModule('kernels') } as Modules } as ReaderContext;

export interface ReadOptions {
  page?: number;
  extension?: string;
  maxPixels?: number;
  shrink?: Shrink;
}

export async function probeWith(reader: FormatReader, bytes: Uint8Array, asked: ReadOptions = {}): Promise<Probe> {
  return await reader.probe(bytes, { page: 1, extension: '', ...asked }, CONTEXT);
}

export async function decodeWith(
  reader: FormatReader,
  bytes: Uint8Array,
  asked: ReadOptions = {},
): Promise<BitmapContent> {
  const request = { page: 1, extension: '', maxPixels: ENOUGH_PIXELS, scale: 1, ...asked };
  return await reader.decode(bytes, request, CONTEXT);
}

/** Reads the bitmap of a page. The bytes are a view into a larger buffer, as in the service. */
export async function readBitmap(reader: FormatReader, file: Uint8Array, asked: ReadOptions = {}): Promise<Bitmap> {
  const bytes = Buffer.concat([Buffer.from([1, 2, 3]), file, Buffer.from([4])]).subarray(3, 3 + file.length);
  const probe = await probeWith(reader, bytes, asked);
  const content = await decodeWith(reader, bytes, asked);
  assert.ok('bitmap' in content);
  assertMatchesProbe(content.bitmap, probe);
  return content.bitmap;
}

function assertMatchesProbe({ data, width, height, channels }: Bitmap, probe: Probe): void {
  assert.deepEqual([width, height], [probe.width, probe.height]);
  assert.equal(channels === 2 || channels === 4, probe.hasAlpha);
  assert.equal(data.BYTES_PER_ELEMENT * 8, probe.depth);
  assert.equal(data.length, width * height * channels);
}

/** Asserts that two long byte sequences are equal and names the first difference. A diff of all bytes takes minutes. */
export function assertSameBytes(actual: ArrayLike<number>, expected: ArrayLike<number>, what = ''): void {
  assert.equal(actual.length, expected.length, what);
  for (let at = 0; at < expected.length; at++) {
    if (actual[at] !== expected[at]) assert.fail(`${what} byte ${at}: ${actual[at]} instead of ${expected[at]}`);
  }
}

/** Converts a bitmap to 8-bit RGBA. */
export function toRgba({ data, width, height, channels }: Bitmap): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255);
  const top = data.BYTES_PER_ELEMENT === 1 ? 1 : 257;
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < 4; channel++) {
      const from = channel === 3 ? (channels % 2 === 0 ? channels - 1 : -1) : channels < 3 ? 0 : channel;
      if (from >= 0) rgba[pixel * 4 + channel] = Math.round(data[pixel * channels + from]! / top);
    }
  }
  return rgba;
}

/** Returns 16 digits of the SHA-256 of {@link toRgba}, which identify the pixels of a bitmap. */
export function pixelsHash(bitmap: Bitmap): string {
  return createHash('sha256').update(toRgba(bitmap)).digest('hex').slice(0, 16);
}

/**
 * Gives damaged copies of files to a reader. The reader must return what its probe promises or throw a Failure.
 * @returns how many copies it could read
 */
export async function readDamaged(
  reader: FormatReader,
  seeds: readonly Uint8Array[],
  copies: number,
  asked: ReadOptions = {},
): Promise<number> {
  let readable = 0;
  for (const [index, seed] of seeds.entries()) {
    for (const broken of damaged(seed, copies, index + 1)) {
      try {
        const content = await decodeWith(reader, broken, asked);
        if ('bitmap' in content) assertMatchesProbe(content.bitmap, await probeWith(reader, broken, asked));
        readable++;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
    }
  }
  return readable;
}
