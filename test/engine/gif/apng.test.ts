/** Animated PNG: how its frames are composed, written, limited and repaired. sharp decodes the results as WebP. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sizeOf } from '../../../codecs/dimensions.ts';
import { chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { type ApngFrame, makeApng } from '../../support/apng.ts';
import { compress, inspect } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { pixel } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit, type GifOptions } from './support.ts';

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR = [0, 0, 0, 0];

const whole = (colour: readonly number[], rest: Partial<ApngFrame> = {}): ApngFrame => ({
  width: 8,
  height: 6,
  pixel: colour,
  ...rest,
});
const corner = (colour: readonly number[], rest: Partial<ApngFrame> = {}): ApngFrame => ({
  left: 2,
  top: 1,
  width: 3,
  height: 2,
  pixel: colour,
  ...rest,
});
const three = makeApng({
  width: 8,
  height: 6,
  frames: [whole(RED), corner(GREEN, { delay: [1, 4] }), whole(BLUE, { delay: [50, 0] })],
  plays: 3,
});

/** Frames, delays and plays, without loss. */
const play = async (file: Uint8Array, options: GifOptions = {}) => {
  const result = await edit(file, { format: 'webp', lossless: true, ...options });
  return { ...(await decodeAnimation(result.bytes)), warnings: result.warnings };
};

/** The colours inside and outside of the corner in each frame. */
const coloursOf = ({ frames }: { frames: Parameters<typeof pixel>[0][] }) =>
  frames.map((frame) => [pixel(frame, 3, 2), pixel(frame, 7, 5)]);

const chunkNames = (file: Uint8Array) => [...chunksOf(file)].map(({ name }) => name);

describe('an animated PNG', () => {
  it('is read with its frames, delays and plays', async () => {
    const { delays, plays, warnings, ...played } = await play(three);
    assert.deepEqual([delays, plays, warnings], [[100, 250, 500], 3, []]);
    assert.deepEqual(coloursOf(played), [
      [RED, RED],
      [GREEN, RED],
      [BLUE, BLUE],
    ]);
    const { animated, frames, pages, animation_ms, loop } = await inspect(three);
    assert.deepEqual([animated, frames, pages, animation_ms, loop], [true, 3, 3, 850, 3]);
  });

  for (const [name, disposal, expected] of [
    ['kept', 0, [GREEN, RED]],
    ['cleared', 1, [CLEAR, RED]],
    ['restored', 2, [RED, RED]],
  ] as const)
    it(`shows the next frame where the previous one is ${name}`, async () => {
      const dot = { left: 0, top: 0, width: 1, height: 1, pixel: BLUE };
      const frames = [whole(RED), corner(GREEN, { disposal }), dot];
      const third = coloursOf(await play(makeApng({ width: 8, height: 6, frames })))[2];
      assert.deepEqual(third, expected);
    });

  it('blends a translucent frame over the canvas, or replaces it', async () => {
    const half = [0, 0, 255, 128];
    const shown = async (blend: number) => {
      const file = makeApng({ width: 8, height: 6, frames: [whole(RED), corner(half, { blend })] });
      return coloursOf(await play(file))[1]![0]!;
    };
    assert.deepEqual(await shown(1), [127, 0, 128, 255]);
    const [, , blue, alpha] = await shown(0);
    assert.ok(Math.abs(blue! - 255) <= 1 && alpha === 128);
  });

  it('omits a default image that is not a frame, also of a single frame', async () => {
    const file = makeApng({ width: 8, height: 6, frames: [whole(GREEN), whole(BLUE)], defaultPixel: RED });
    assert.deepEqual(coloursOf(await play(file)), [
      [GREEN, GREEN],
      [BLUE, BLUE],
    ]);
    const single = makeApng({ width: 8, height: 6, frames: [whole(GREEN)], defaultPixel: RED });
    const { bytes, warnings } = await compress(single, { format: 'jpeg', quality: 100 });
    assert.deepEqual(warnings, []);
    const [red, green] = await sharp(bytes).raw().toBuffer();
    assert.ok(red! < 10 && green! > 245);
  });

  it('gives the frame that page names to other formats', async () => {
    const { bytes, warnings } = await compress(three, { format: 'jpeg', quality: 100, page: 3 });
    assert.deepEqual(warnings, ['animation_flattened']);
    const [red, , blue] = await sharp(bytes).raw().toBuffer();
    assert.ok(red! < 10 && blue! > 245);
    await failureOf('page_out_of_range', () => compress(three, { page: 4 }));
  });
});

describe('a result of an animated PNG', () => {
  it('stays animated as PNG: every step is applied to every frame', async () => {
    verifies('compress.format.png.animation');
    const { bytes, width, height, warnings } = await compress(three, {
      ...{ format: 'png', mode: 'lossless', flip: 'h', border: 1, border_color: '#ffffff' },
    });
    assert.deepEqual([width, height, warnings], [10, 8, []]);
    const played = await play(bytes);
    assert.deepEqual([played.delays, played.plays], [[100, 250, 500], 3]);
    const flipped = played.frames.map((frame) => [pixel(frame, 5, 3), pixel(frame, 1, 1), pixel(frame, 0, 0)]);
    const white = [255, 255, 255, 255];
    assert.deepEqual(flipped, [
      [RED, RED, white],
      [GREEN, RED, white],
      [BLUE, BLUE, white],
    ]);
  });

  for (const options of [{}, { mode: 'smart' }, { target_bytes: 2000 }] as const)
    it(`keeps its frames with ${JSON.stringify(options)}`, async () => {
      const played = await play((await compress(three, { width: 4, ...options })).bytes);
      assert.deepEqual([played.frames.length, played.plays], [3, 3]);
    });

  it('keeps 16 bits if it is lossless', async () => {
    const deep = (value: number) => [value, 1000, 2000, 65_535];
    const frames = [300, 40_001, 65_000].map((value) => whole(deep(value)));
    const file = makeApng({ width: 8, height: 6, depth: 16, frames });
    const { bytes, warnings } = await compress(file, { mode: 'lossless', flip: 'v' });
    assert.deepEqual(warnings, []);
    const last = await compress(bytes, { mode: 'lossless', format: 'tiff', page: 3 });
    const raw = await sharp(last.bytes).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    assert.deepEqual(
      [0, 2, 4].map((at) => raw.readUInt16LE(at)),
      [65_000, 1000, 2000],
    );
  });

  it('keeps pixels that move over a still background, in the fewest bytes', async () => {
    const background = Array.from({ length: 64 * 48 }, (_, at) => [(at * 37) % 251, (at * 91) % 241, (at * 13) % 239]);
    const image = (left: number) =>
      Buffer.from(background.flatMap((colour, at) => (Math.abs((at % 64) - left) < 3 ? [255, 255, 0] : colour)));
    const shown = [5, 20, 35, 50].map(image);
    const raw = { width: 64, height: 48 * 4, channels: 3, pageHeight: 48 } as const;
    const source = await sharp(Buffer.concat(shown), { raw }).webp({ lossless: true, delay: 50 }).toBuffer();
    const { bytes, warnings } = await edit(source, { format: 'png' });
    assert.deepEqual(warnings, []);
    const { frames } = await decodeAnimation((await edit(bytes, { format: 'webp', lossless: true })).bytes);
    for (const [index, frame] of frames.entries())
      assert.deepEqual(
        await sharp(frame.data, { raw: { width: 64, height: 48, channels: 4 } })
          .removeAlpha()
          .raw()
          .toBuffer(),
        shown[index],
      );
    const first = await sharp(shown[0]!, { raw: { width: 64, height: 48, channels: 3 } })
      .png()
      .toBuffer();
    assert.ok(bytes.length < 2 * first.length, `${bytes.length} of ${first.length}`);
  });

  it('is one frame as PNG if its source is a GIF, unless gif is asked for PNG', async () => {
    verifies('gif.format.png');
    const gif = (await edit(three)).bytes;
    const { bytes, warnings } = await compress(gif, { format: 'png' });
    assert.deepEqual(warnings, ['animation_flattened']);
    assert.ok(!chunkNames(bytes).includes('acTL'));
    assert.ok(chunkNames((await edit(gif, { format: 'png' })).bytes).includes('acTL'));
  });
});

describe('a damaged animated PNG', () => {
  const faults: readonly [string, Parameters<typeof makeApng>[0]['frames'][number], number?][] = [
    ['a frame outside of the canvas', corner(GREEN, { left: 6 })],
    ['a frame of no pixels', corner(GREEN, { width: 0, data: Uint8Array.of(1) })],
    ['a sequence number out of order', corner(GREEN, { sequence: 9 })],
    ['a frame without data', corner(GREEN, { data: new Uint8Array(0) })],
    ['an unknown disposal', corner(GREEN, { disposal: 3 })],
  ];
  for (const [name, fault] of faults)
    it(`keeps the frames before ${name}`, async () => {
      const file = makeApng({ width: 8, height: 6, frames: [whole(RED), whole(BLUE), fault, whole(RED)] });
      const { warnings, ...played } = await play(file);
      assert.deepEqual(warnings, ['truncated_source']);
      assert.deepEqual(coloursOf(played), [
        [RED, RED],
        [BLUE, BLUE],
      ]);
    });

  it('draws what can be read of a frame whose data are cut', async () => {
    const frames = [whole(RED), whole(BLUE, { data: Uint8Array.of(0x78, 0x9c, 1) }), whole(GREEN)];
    const { warnings, ...played } = await play(makeApng({ width: 8, height: 6, frames }));
    assert.deepEqual(warnings, ['truncated_source']);
    assert.deepEqual(coloursOf(played), [
      [RED, RED],
      [RED, RED],
      [GREEN, GREEN],
    ]);
  });

  it('is a still image if it declares no frame', async () => {
    const file = makeApng({ width: 8, height: 6, frames: [whole(RED), whole(BLUE)], declared: 0 });
    const { animated, frames } = await inspect(file);
    assert.deepEqual([animated, frames], [false, null]);
    assert.deepEqual((await compress(file, { mode: 'lossless' })).warnings, []);
  });

  it('has its frames counted before any is decoded', () => {
    assert.deepEqual(sizeOf(three, 'png'), { width: 8, height: 6, frames: 3 });
  });

  it('is refused if it has too many frames', async () => {
    const dot = { width: 1, height: 1, pixel: RED };
    const file = makeApng({ width: 1, height: 1, frames: Array.from({ length: 5001 }, () => dot) });
    await failureOf('image_too_large', () => edit(file));
    await failureOf('image_too_large', () => compress(file));
  });
});
