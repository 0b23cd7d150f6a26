/** Animated JPEG XL: read and written by libvips. sharp decodes the results as WebP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips } from '../../../codecs/vips.ts';
import { compress, inspect } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { flat, pixel } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit } from './support.ts';

type Colour = [red: number, green: number, blue: number, alpha: number];
const RED: Colour = [255, 0, 0, 255];
const GREEN: Colour = [0, 255, 0, 255];
const CLEAR: Colour = [0, 0, 0, 0];
const COLOURS = [RED, GREEN, CLEAR];
const DELAYS = [100, 250, 40];
const PLAYS = 3;

/** Frames of one colour each, 12 x 8. */
async function makeJxl(): Promise<Uint8Array> {
  const { vips, releaseHandles } = await startVips(await compileModules());
  const samples = Buffer.concat(COLOURS.map((colour) => flat(12, 8, ...colour).data));
  const column = vips.Image.newFromMemory(samples, 12, 24, 4, vips.BandFormat.uchar).copy({ interpretation: 'srgb' });
  column.setInt('page-height', 8);
  column.setArrayInt('delay', DELAYS);
  column.setInt('loop', PLAYS);
  const file = column.jxlsaveBuffer({ lossless: true });
  releaseHandles();
  return file;
}

const play = async (file: Uint8Array) => decodeAnimation((await edit(file, { format: 'webp', lossless: true })).bytes);

describe('an animated JPEG XL', () => {
  it('is read with its frames, delays and plays', async () => {
    const file = await makeJxl();
    const { frames, delays, plays } = await play(file);
    assert.deepEqual([delays, plays], [DELAYS, PLAYS]);
    assert.deepEqual(
      frames.map((frame) => pixel(frame, 6, 4)),
      COLOURS,
    );
    const { animated, frames: count, animation_ms, loop } = await inspect(file);
    assert.deepEqual([animated, count, animation_ms, loop], [true, 3, 390, PLAYS]);
  });

  it('stays animated as JPEG XL: every step is applied to every frame', async () => {
    verifies('compress.format.jxl.animation');
    const { bytes, width, height, warnings } = await compress(await makeJxl(), {
      ...{ mode: 'lossless', rotate: 90, border: 1, border_color: '#0000ff' },
    });
    assert.deepEqual([width, height, warnings], [10, 14, []]);
    const { frames, delays, plays } = await play(bytes);
    assert.deepEqual([delays, plays], [DELAYS, PLAYS]);
    assert.deepEqual(
      frames.map((frame) => [pixel(frame, 5, 5), pixel(frame, 0, 0)]),
      COLOURS.map((colour) => [colour, [0, 0, 255, 255]]),
    );
    const lossy = await compress(await makeJxl(), { quality: 60, width: 6 });
    assert.equal((await play(lossy.bytes)).frames.length, 3);
  });

  it('is written by gif too, with or without loss', async () => {
    verifies('gif.format.jxl');
    const gif = (await edit(await makeJxl())).bytes;
    const lossless = await play((await edit(gif, { format: 'jxl', lossless: true, loop: 0 })).bytes);
    assert.deepEqual([lossless.delays, lossless.plays], [DELAYS, 0]);
    assert.deepEqual(
      lossless.frames.map((frame) => pixel(frame, 6, 4)),
      COLOURS,
    );
    const { bytes, format, width, height } = await edit(gif, { format: 'jxl', quality: 90, width: 6, reverse: true });
    assert.deepEqual([format, width, height], ['jxl', 6, 4]);
    assert.equal((await inspect(bytes)).format, 'jxl');
    const lossy = await play(bytes);
    assert.deepEqual([lossy.delays, lossy.plays], [[...DELAYS].reverse(), PLAYS]);
    for (const [index, frame] of lossy.frames.entries()) {
      const [actual, expected] = [pixel(frame, 3, 2), COLOURS.at(-1 - index)!];
      assert.ok(Math.abs(actual[3]! - expected[3]) <= 4, `${actual}`);
      if (expected[3] > 0)
        for (const band of [0, 1, 2]) assert.ok(Math.abs(actual[band]! - expected[band]!) <= 12, `${actual}`);
    }
  });

  it('is one frame in formats without animation, and JPEG XL is one frame of other animations', async () => {
    const file = await makeJxl();
    const { warnings } = await compress(file, { format: 'jpeg', page: 2 });
    assert.deepEqual(warnings, ['animation_flattened']);
    await failureOf('page_out_of_range', () => compress(file, { page: 4 }));
    const still = await compress((await edit(file)).bytes, { format: 'jxl' });
    assert.deepEqual(still.warnings, ['animation_flattened']);
    assert.equal((await inspect(still.bytes)).animated, false);
  });
});
