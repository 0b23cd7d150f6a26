import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { reader as exrReader } from '../../../../codecs/formats/exr/read.ts';
import { toSrgb } from '../../../../codecs/linear-light.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { writeWithMagick } from '../../../support/magick-writer.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';
import { makeSamples } from '../../../support/samples.ts';

/**
 * Compressions that OpenEXR writes through ImageMagick. Their blocks hold one line, several lines or part of the lines.
 */
const COMPRESSIONS = ['NoCompression', 'RLE', 'ZipS', 'Zip', 'Piz', 'Pxr24'];
const IMAGES = [
  makeSamples('noise', 97, 71, 3),
  makeSamples('ramp', 64, 33, 3),
  makeSamples('runs', 300, 40, 3),
  makeSamples('noise', 3, 2, 3),
  makeSamples('flat', 1, 1, 3),
];

/** Converts linear light to sRGB at 16 bits, by IEC 61966-2-1. */
function srgb(light: number): number {
  return 65_535 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
}

const files = await writeWithMagick([
  ...COMPRESSIONS.flatMap((compression) => IMAGES.map((image) => ({ format: 'EXR', frames: [image], compression }))),
  { format: 'EXR', frames: [IMAGES[1]!], compression: 'B44' },
]);
const written = files.slice(0, -1);
const b44 = files.at(-1)!;

test('reads the written samples with every compression', { skip: nightlyOnly }, async () => {
  for (const [index, file] of written.entries()) {
    const image = IMAGES[index % IMAGES.length]!;
    const bitmap = await readBitmap(exrReader, file);
    assert.deepEqual([bitmap.width, bitmap.height, bitmap.truncated], [image.width, image.height, undefined]);
    assert.ok(bitmap.data instanceof Uint16Array);
    for (const [at, value] of image.data.entries()) {
      // ImageMagick treats raw samples as linear light. OpenEXR rounds them to the 11 significant bits of a half float.
      const wrong = Math.abs(bitmap.data[at]! - srgb(value / 255));
      assert.ok(wrong <= 20, `${COMPRESSIONS[Math.floor(index / IMAGES.length)]}: ${bitmap.data[at]} for ${value}`);
    }
  }
});

test('passes other compressions to ImageMagick', async () => {
  const bitmap = await readBitmap(exrReader, b44);
  assert.ok(bitmap.data instanceof Uint8Array);
  assert.deepEqual([bitmap.width, bitmap.height], [64, 33]);
});

interface Recipe {
  /** Channel names in order, with their samples as 32-bit floats. */
  channels: Record<string, number[]>;
  width: number;
  height: number;
  compression?: number;
  window?: [left: number, top: number];
  tile?: [width: number, height: number];
}

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const i32 = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);

/** Writes an OpenEXR file by its specification: floats, uncompressed or in one deflated block per line. */
function exr({ channels, width, height, compression = 0, window: [left, top] = [0, 0], tile }: Recipe): Buffer {
  const attribute = (name: string, type: string, value: Uint8Array) =>
    Buffer.concat([Buffer.from(`${name}\0${type}\0`), u32(value.length), value]);
  const list = Object.keys(channels).map((name) => Buffer.concat([Buffer.from(`${name}\0`), u32(2, 0, 1, 1)]));
  const box = i32(left, top, left + width - 1, top + height - 1);
  const header = Buffer.concat([
    Buffer.from([0x76, 0x2f, 0x31, 1]),
    u32(2 + (tile ? 0x200 : 0)),
    attribute('channels', 'chlist', Buffer.concat([...list, Buffer.alloc(1)])),
    attribute('compression', 'compression', Uint8Array.of(compression)),
    attribute('dataWindow', 'box2i', box),
    attribute('displayWindow', 'box2i', box),
    ...(tile ? [attribute('tiles', 'tiledesc', Buffer.concat([u32(...tile), Buffer.alloc(1)]))] : []),
    Buffer.alloc(1),
  ]);
  const [across, down] = [tile?.[0] ?? width, tile?.[1] ?? 1];
  const blocks: Buffer[] = [];
  for (let y = 0; y < height; y += down) {
    for (let x = 0; x < width; x += across) {
      const lines: Buffer[] = [];
      for (let row = y; row < Math.min(height, y + down); row++) {
        for (const samples of Object.values(channels)) {
          const from = row * width + x;
          lines.push(Buffer.from(Float32Array.from(samples.slice(from, from + Math.min(across, width - x))).buffer));
        }
      }
      const data = Buffer.concat(lines);
      blocks.push(Buffer.concat([tile ? i32(x / across, y / down, 0, 0) : i32(top + y), u32(data.length), data]));
    }
  }
  let at = header.length + blocks.length * 8;
  const table = blocks.map((block) => {
    const offset = u32(at, 0);
    at += block.length;
    return offset;
  });
  return Buffer.concat([header, ...table, ...blocks]);
}

test('converts linear light to sRGB, clips to white and reads NaN as black', async () => {
  const light = [0, 0.0031308, 0.18, 0.5, 1, 7, -1, Number.NaN];
  const file = exr({ width: 8, height: 1, channels: { B: light, G: light, R: light } });
  const { data, channels } = await readBitmap(exrReader, file);
  assert.equal(channels, 3);
  const red = [...data].filter((_, at) => at % 3 === 0);
  const expected = [0, 2651, 30_235, 48_192, 65_535, 65_535, 0, 0];
  for (const [index, value] of expected.entries())
    assert.ok(Math.abs(red[index]! - value) <= 16, `${red[index]} for ${value}`);
  assert.ok(toSrgb(0.5) > toSrgb(0.4999));
});

test('divides colours by their alpha', async () => {
  const file = exr({ width: 2, height: 1, channels: { A: [0.5, 0], B: [0.25, 0], G: [0.25, 0], R: [0.5, 0] } });
  const { data } = await readBitmap(exrReader, file);
  assert.deepEqual([data[0], data[3], data[7]], [65_535, 32_768, 0]);
  assert.ok(Math.abs(data[1]! - 48_192) <= 16);
});

test('reads grey, layers and channels that are not colours', async () => {
  const one = [1, 1];
  const none = [0, 0];
  const image = async (channels: Recipe['channels']) =>
    await readBitmap(exrReader, exr({ width: 2, height: 1, channels }));
  assert.equal((await image({ Y: one })).channels, 1);
  assert.equal((await image({ A: one, Y: one })).channels, 2);
  assert.deepEqual(
    [...(await image({ 'beauty.B': none, 'beauty.G': none, 'beauty.R': one, Z: none })).data.slice(0, 3)],
    [65_535, 0, 0],
  );
  assert.equal((await image({ Z: one })).channels, 1);
});

test('reads a data window at any offset, and smaller tiles at the edge', async () => {
  const ramp = Array.from({ length: 35 }, (_, index) => index / 35);
  const lines = await readBitmap(exrReader, exr({ width: 7, height: 5, window: [-3, -20], channels: { Y: ramp } }));
  const tiles = await readBitmap(exrReader, exr({ width: 7, height: 5, tile: [4, 2], channels: { Y: ramp } }));
  assert.deepEqual(tiles.data, lines.data);
  assert.ok(lines.data.every((value, index) => index === 0 || value > lines.data[index - 1]!));
});

test('keeps the rows of a file that ends early', async () => {
  const whole = exr({ width: 7, height: 5, channels: { Y: new Array(35).fill(1) } });
  const bitmap = await readBitmap(exrReader, whole.subarray(0, whole.length - 40));
  assert.equal(bitmap.truncated, true);
  assert.deepEqual([bitmap.data[0], bitmap.data[34]], [65_535, 0]);
});

test('rejects deep data, too many pixels and a second page, and finds decompression bombs corrupt', async () => {
  const file = exr({ width: 2, height: 1, channels: { Y: [1, 1] } });
  const deep = Buffer.from(file);
  deep[5] = 0x08;
  await failureOf('unsupported_format', () => probeWith(exrReader, deep));
  await failureOf('image_too_large', () => readBitmap(exrReader, file, { maxPixels: 1 }));
  await failureOf('page_out_of_range', () => probeWith(exrReader, file, { page: 2 }));
  const bomb = exr({ width: 2, height: 1, compression: 2, channels: { Y: [1, 1] } });
  const packed = deflateSync(Buffer.alloc(1_000_000));
  const broken = Buffer.concat([bomb.subarray(0, -12), u32(packed.length), packed]);
  await failureOf('corrupt_image', () => readBitmap(exrReader, broken));
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const seeds = [
    ...COMPRESSIONS.map((_, index) => written[index * IMAGES.length + 1]!),
    exr({ width: 7, height: 5, tile: [4, 2], channels: { A: new Array(35).fill(1), Y: new Array(35).fill(1) } }),
  ];
  assert.ok((await readDamaged(exrReader, seeds, 40)) > 40 * TRIED_PART);
});
