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

/** Files, their delays, and the middle pixel of each frame as avifdec 0.11 reads it. */
const SEQUENCES: readonly [name: string, delays: readonly number[], middle: readonly (readonly number[])[]][] = [
  [
    'libavif--colors-animated-8bpc.avif',
    [33, 34, 33, 33, 34],
    [
      [0, 0, 0, 255],
      [1, 0, 251, 255],
      [0, 127, 0, 255],
      [253, 0, 2, 255],
      [252, 253, 2, 255],
    ],
  ],
  [
    'libavif--colors-animated-8bpc-alpha-exif-xmp.avif',
    [167, 166, 167, 167, 166],
    [
      [0, 0, 0, 128],
      [1, 0, 251, 128],
      [0, 127, 0, 128],
      [253, 0, 2, 128],
      [252, 253, 2, 128],
    ],
  ],
  ['pillow--star.avifs', [40, 40, 40, 40, 40], Array(5).fill([254, 238, 171, 255])],
];

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

  it('has all frames if they refer to each other', { skip: corpusSkipReason }, async () => {
    for (const [name, delays, expected] of SEQUENCES) {
      const { bytes, warnings } = await edit(corpus(`avif/${name}`)!, { format: 'webp', lossless: true });
      assert.deepEqual(warnings, [], name);
      const played = await decodeAnimation(bytes);
      assert.deepEqual(played.delays, delays);
      for (const [index, frame] of played.frames.entries()) {
        const found = pixel(frame, Math.floor(frame.width / 2), Math.floor(frame.height / 2));
        assert.ok(isNear(found, expected[index]!, 2), `${name}, frame ${index}: ${found}`);
      }
    }
    const deep = corpus('avif/libavif--colors-animated-12bpc-keyframes-0-2-3.avif')!;
    assert.deepEqual((await edit(deep, { format: 'webp' })).warnings, ['depth_reduced']);
  });

  it('shows the frames before a damaged one that others refer to', { skip: corpusSkipReason }, async () => {
    const file = Buffer.from(corpus('avif/pillow--star.avifs')!);
    readSequence(file)!.colour.samples[3]!.fill(0x5a, 0, 4);
    const { bytes, warnings } = await edit(file, { format: 'webp', lossless: true });
    assert.deepEqual(warnings, ['truncated_source']);
    const { delays, frames } = await decodeAnimation(bytes);
    assert.equal(
      delays.reduce((sum, delay) => sum + delay, 0),
      5 * 40,
    );
    assert.ok(isNear(pixel(frames[0]!, 79, 79), [254, 238, 171, 255], 2));
  });

  it('is its first image if it ends early and its frames refer to each other', { skip: corpusSkipReason }, async () => {
    const file = corpus('avif/libavif--colors-animated-8bpc.avif')!;
    const { frames } = await edit(file.subarray(0, file.length - 20));
    assert.equal(frames, 1);
  });
});
