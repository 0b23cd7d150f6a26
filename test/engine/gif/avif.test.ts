/** AVIF image sequences, written and read. sharp decodes the results as WebP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sizeOf } from '../../../codecs/dimensions.ts';
import { readSequence } from '../../../codecs/heif/sequence.ts';
import { makeApng } from '../../support/apng.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { compress, inspect } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { pixel } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit, type GifOptions } from './support.ts';

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const CLEAR = [0, 0, 0, 0];
const OPAQUE = [RED, GREEN, [0, 0, 255, 255]];

const source = (colours: readonly (readonly number[])[]) =>
  makeApng({
    ...{ width: 24, height: 16, plays: 3 },
    frames: colours.map((colour, index) => ({ width: 24, height: 16, pixel: colour, delay: [1 + index, 10] as const })),
  });

const write = async (colours: readonly (readonly number[])[], options: GifOptions = {}) =>
  (await edit(source(colours), { format: 'avif', ...options })).bytes;

const play = async (file: Uint8Array) => decodeAnimation((await edit(file, { format: 'webp', lossless: true })).bytes);

const isNear = (actual: readonly number[], expected: readonly number[], most: number) =>
  expected.every((value, band) => Math.abs(value - actual[band]!) <= most);

describe('an animated AVIF', () => {
  it('keeps every pixel, the delays and the plays without loss', async () => {
    verifies('gif.format.avif');
    const colours = [RED, CLEAR, GREEN];
    const file = await write(colours, { lossless: true });
    const { frames, delays, plays } = await play(file);
    assert.deepEqual([delays, plays], [[100, 200, 300], 3]);
    assert.deepEqual(
      frames.map((frame) => pixel(frame, 5, 5)),
      colours,
    );
    const { animated, frames: count, animation_ms, loop } = await inspect(file);
    assert.deepEqual([animated, count, animation_ms, loop], [true, 3, 600, 3]);
    assert.deepEqual(sizeOf(file, 'avif'), { width: 24, height: 16, frames: 3 });
  });

  for (const [name, colours] of [
    ['opaque', OPAQUE],
    ['partly transparent', [RED, CLEAR, GREEN]],
  ] as const)
    it(`is near to ${name} frames with loss`, async () => {
      const { frames } = await play(await write(colours, { quality: 90 }));
      for (const [index, frame] of frames.entries()) {
        const [actual, expected] = [pixel(frame, 5, 5), colours[index]!];
        assert.ok(expected[3] === 0 ? actual[3]! <= 2 : isNear(actual, expected, 6), `frame ${index}: ${actual}`);
      }
    });

  it('plays for ever or once, as it is asked', async () => {
    const plays = async (loop: number) => (await play(await write(OPAQUE, { loop }))).plays;
    assert.deepEqual([await plays(0), await plays(1)], [0, 2]);
  });

  it('stays animated as AVIF in compress: every step is applied to every frame', async () => {
    verifies('compress.format.avif.animation');
    const { bytes, width, height, warnings } = await compress(await write(OPAQUE, { lossless: true }), {
      ...{ mode: 'lossless', rotate: 90, border: 1, border_color: '#ffffff' },
    });
    assert.deepEqual([width, height, warnings], [18, 26, []]);
    const { frames, delays, plays } = await play(bytes);
    assert.deepEqual([delays, plays], [[100, 200, 300], 3]);
    assert.deepEqual(
      frames.map((frame) => [pixel(frame, 9, 9), pixel(frame, 0, 0)]),
      OPAQUE.map((colour) => [colour, [255, 255, 255, 255]]),
    );
  });

  it('is one frame of other animations in compress, and the frame of page in other formats', async () => {
    const still = await compress(source(OPAQUE), { format: 'avif' });
    assert.deepEqual(still.warnings, ['animation_flattened']);
    assert.equal(readSequence(still.bytes), undefined);
    const file = await write(OPAQUE);
    assert.deepEqual((await compress(file, { format: 'jpeg', page: 2 })).warnings, ['animation_flattened']);
    await failureOf('page_out_of_range', () => compress(file, { page: 4 }));
  });

  it('keeps the frames before its end if it ends early', async () => {
    const file = await write(OPAQUE, { lossless: true });
    const { colour, alpha } = readSequence(file)!;
    const lastBytes = [colour, alpha!].reduce((sum, { samples }) => sum + samples.at(-1)!.length, 0);
    const { frames, warnings } = await edit(file.subarray(0, file.length - lastBytes), { format: 'webp' });
    assert.deepEqual([frames, warnings], [2, ['truncated_source']]);
  });

  it('is one frame, with a warning, if its frames refer to each other', { skip: corpusSkipReason }, async () => {
    const { frames, warnings } = await edit(corpus('avif/libavif--colors-animated-8bpc.avif')!);
    assert.deepEqual([frames, warnings], [1, ['animation_flattened']]);
  });
});
