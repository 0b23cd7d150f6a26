/** Animated WebP in lossy mode: drawn loops stay lossless if that is smaller; filmed ones become lossy. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { compress } from '../../support/engine.ts';
import { decodeAnimation, makeGif } from '../gif/support.ts';

const WIDTH = 160;
const HEIGHT = 120;
const FRAMES = 8;
const DELAYS = Array.from({ length: FRAMES }, (_, index) => 40 + 10 * index);
const LOOP = 3;

type Colour = (x: number, y: number, frame: number) => readonly number[];

/** @param format format of the source; WebP is lossless */
function animation(format: 'gif' | 'webp', channels: 3 | 4, colour: Colour): Promise<Buffer> {
  const data = Buffer.alloc(WIDTH * HEIGHT * FRAMES * channels);
  for (let frame = 0; frame < FRAMES; frame += 1)
    for (let y = 0; y < HEIGHT; y += 1)
      for (let x = 0; x < WIDTH; x += 1) data.set(colour(x, y, frame), ((frame * HEIGHT + y) * WIDTH + x) * channels);
  const column = sharp(data, { raw: { width: WIDTH, height: HEIGHT * FRAMES, channels, pageHeight: HEIGHT } });
  const times = { delay: DELAYS, loop: LOOP };
  return format === 'gif'
    ? column.gif({ ...times, dither: 0 }).toBuffer()
    : column.webp({ ...times, lossless: true, exact: true }).toBuffer();
}

const isInSquare = (x: number, y: number, frame: number) => Math.abs(x - 20 - frame * 16) < 14 && Math.abs(y - 60) < 14;

/** Draws two colours. */
const flat: Colour = (x, y, frame) => (isInSquare(x, y, frame) ? [200, 40, 60] : [250, 245, 230]);

/** Draws one colour per tile, 300 in total. This is too many for libwebp to try a lossless frame by itself. */
const tiles: Colour = (x, y, frame) => {
  const tile = (Math.floor(x / 8) + frame + Math.floor(y / 8) * 20) % 300;
  return [(tile * 7) % 256, (tile * 11) % 256, (tile * 13 + Math.floor(tile / 2)) % 256];
};

/** Draws moving waves with noise. */
const filmed: Colour = (x, y, frame) => {
  const noise = (Math.imul(x * 374761393 + y * 668265263 + frame * 2147483647, 1274126177) >>> 28) - 8;
  const wave = (side: number) => 128 + 80 * Math.sin((side + 5 * frame) / 17) + noise;
  return [wave(x), wave(y), wave(x + y)];
};

/**
 * Draws discs of strong colours with smooth edges on a slowly changing background. Chroma at half resolution is most
 * visible there.
 */
const disks: Colour = (x, y, frame) => {
  const [left, top] = [(x + frame * 3) % 20, y % 20];
  const colour = Math.floor((x + frame * 3) / 20) + 3 * Math.floor(y / 20);
  const cover = Math.min(1, Math.max(0, 8 - Math.hypot(left - 9.3, top - 9.6)));
  return [0, 1, 2].map((band) => {
    const ground = 200 + 30 * Math.sin((x + y * (band + 1) + frame) / 23);
    return Math.round(ground + cover * (128 + 127 * Math.sin(colour * 2.1 + band * 2.1) - ground));
  });
};

const clear: Colour = (x, y, frame) => (isInSquare(x, y, frame) ? [200, 40, 60, 255] : [0, 0, 0, 0]);

async function decoded(bytes: Uint8Array) {
  const { delay, loop, pages } = await sharp(bytes, { animated: true }).metadata();
  const pixels = await sharp(bytes, { animated: true }).ensureAlpha().raw().toBuffer();
  return { delay, loop, pages, pixels };
}

async function largestDifference(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [{ pixels }, { pixels: others }] = [await decoded(one), await decoded(other)];
  assert.equal(pixels.length, others.length);
  return pixels.reduce((most, value, at) => Math.max(most, Math.abs(value - others[at]!)), 0);
}

const lossyFrames = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').split('VP8 ').length - 1;

describe('an animation as lossy WebP', () => {
  for (const [name, format, channels, colour] of [
    ['of few colours', 'gif', 3, flat],
    ['of many colours', 'webp', 3, tiles],
    ['with transparency', 'gif', 4, clear],
  ] as const)
    test(`a drawn one ${name} keeps every pixel, and is as small as in mode lossless`, async () => {
      const source = await animation(format, channels, colour);
      const { bytes } = await compress(source, { format: 'webp', quality: 75, flip: 'h' });
      const lossless = await compress(source, { format: 'webp', mode: 'lossless', flip: 'h' });
      assert.ok(bytes.length <= lossless.bytes.length, `${bytes.length} and ${lossless.bytes.length} bytes`);
      assert.equal(await largestDifference(bytes, lossless.bytes), 0);
      const { delay, loop, pages } = await decoded(bytes);
      assert.deepEqual([delay, loop, pages], [DELAYS, LOOP, FRAMES]);
    });

  test('of the most plays that a GIF can have does not play for ever', async () => {
    const frames = [0, 1].map((index) => ({ width: 1, height: 1, indices: [index] }));
    const source = makeGif({ width: 1, height: 1, table: [0, 0xffffff], frames, repeats: 65_535 });
    for (const mode of ['quality', 'lossless'] as const)
      assert.equal((await decodeAnimation((await compress(source, { format: 'webp', mode })).bytes)).plays, 65_535);
  });

  test('a filmed one is much smaller than lossless, and smaller at a lower quality', async () => {
    const source = await animation('webp', 3, filmed);
    const made = async (quality: number) => (await compress(source, { format: 'webp', quality })).bytes;
    const [low, middle, high] = [await made(30), await made(75), await made(95)];
    assert.ok(low.length < middle.length && middle.length < high.length, 'by quality');
    assert.ok(middle.length * 3 < source.length, `${middle.length} and ${source.length} bytes`);
    assert.equal(lossyFrames(middle), FRAMES);
    const { delay, loop, pages } = await decoded(middle);
    assert.deepEqual([delay, loop, pages], [DELAYS, LOOP, FRAMES]);
  });

  test('drawn and filmed frames are each encoded in the smaller way', async () => {
    const both: Colour = (x, y, frame) => (frame < FRAMES / 2 ? flat(x, y, frame) : filmed(x, y, frame));
    const source = await animation('webp', 3, both);
    const { bytes } = await compress(source, { format: 'webp', quality: 75 });
    assert.equal(lossyFrames(bytes), FRAMES / 2);
    assert.equal((await decoded(bytes)).pages, FRAMES);
  });

  test('a drawn one with two filmed frames is lossy, which is smaller', async () => {
    // Neither of the two is among the frames that the encoder samples first.
    const both: Colour = (x, y, frame) => (frame === 1 || frame === 6 ? filmed(x, y, frame) : tiles(x, y, frame));
    const source = await animation('webp', 3, both);
    const { bytes } = await compress(source, { format: 'webp', quality: 75 });
    assert.ok(lossyFrames(bytes) > 2, `${lossyFrames(bytes)} frames`);
    const lossless = await compress(source, { format: 'webp', mode: 'lossless', flip: 'h' });
    assert.ok(bytes.length < lossless.bytes.length, `${bytes.length} and ${lossless.bytes.length} bytes`);
  });

  test('chroma is subsampled once, as in a still image', async () => {
    const source = await animation('webp', 3, disks);
    const { bytes } = await compress(source, { format: 'webp', quality: 75 });
    const still = await sharp(source, { page: 0 }).removeAlpha().webp({ quality: 75 }).toBuffer();
    const original = await sharp(source, { page: 0 }).removeAlpha().raw().toBuffer();
    const errorOf = async (file: Uint8Array) => {
      const pixels = await sharp(file, { page: 0 }).removeAlpha().raw().toBuffer();
      return pixels.reduce((sum, value, at) => sum + (value - original[at]!) ** 2, 0) / pixels.length;
    };
    const [moving, single] = [await errorOf(bytes), await errorOf(still)];
    assert.ok(moving < 1.15 * single, `${moving} and ${single}`);
  });
});
