/** The effect of each option on the file, in both formats, checked with independent decoders. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { AnimationFormat } from '../../../engine/operations/gif/timeline.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { difference, pattern, pixel, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit, type GifOptions, makeGif } from './support.ts';

const FORMATS: readonly AnimationFormat[] = ['gif', 'webp'];
/** One colour per frame, which identifies the frame. */
const COLOURS = [0xff0000, 0x00ff00, 0x0000ff, 0xffffff, 0xffff00, 0x00ffff, 0xff00ff, 0x000000];
/** Delays in hundredths of a second. */
const DELAYS = [10, 20, 30, 40, 50, 60, 70, 80];

const numbered = (repeats?: number) =>
  makeGif({
    width: 4,
    height: 3,
    table: COLOURS,
    ...(repeats === undefined ? {} : { repeats }),
    frames: DELAYS.map((delay, index) => ({ width: 4, height: 3, indices: Array(12).fill(index), delay })),
  });

/** Returns the numbers of the frames in {@link numbered} and their delays. Also checks the result's own facts. */
async function framesOf(source: Uint8Array, options: GifOptions): Promise<{ order: number[]; delays: number[] }> {
  const result = await edit(source, options);
  const { frames, delays } = await decodeAnimation(result.bytes);
  const order = frames.map((frame) => {
    const [red = 0, green = 0, blue = 0] = pixel(frame, 1, 1);
    return COLOURS.indexOf((red << 16) | (green << 8) | blue);
  });
  const sum = delays.reduce((total, delay) => total + delay, 0);
  assert.equal(result.frames, frames.length);
  // A still image has no duration in the file.
  if (frames.length > 1) assert.equal(result.animationMs, sum);
  assert.deepEqual([result.sourceFrames, result.sourceAnimationMs], [8, 3600]);
  return { order, delays };
}

/** Makes an animation with structure everywhere, whose pixels are known. */
async function texturedAnimation(
  frames: number,
  channels: 3 | 4 = 4,
  width = 60,
  height = 40,
): Promise<{ bytes: Buffer; images: RawImage[] }> {
  const images = Array.from({ length: frames }, (_, index) => {
    const image = pattern(width, height, channels);
    for (let at = 0; at < image.data.length; at += channels) image.data[at] = (image.data[at]! + index * 40) % 256;
    return image;
  });
  const column = Buffer.concat(images.map(({ data }) => data));
  const raw = { width, height: height * frames, channels, pageHeight: height };
  const bytes = await sharp(column, { raw })
    .webp({ lossless: true, exact: true, delay: Array(frames).fill(80), loop: 0 })
    .toBuffer();
  return { bytes, images };
}

/** Returns the largest and the mean visible difference. The colour of transparent pixels does not count. */
function visibleDifference(a: RawImage, b: RawImage): { max: number; mean: number } {
  const visible = ({ data, ...raw }: RawImage): RawImage => {
    const copy = Buffer.from(data);
    for (let at = 0; at < copy.length; at += 4) {
      const alpha = copy[at + 3]!;
      for (let band = 0; band < 3; band += 1) copy[at + band] = Math.round((copy[at + band]! * alpha) / 255);
    }
    return { ...raw, data: copy };
  };
  return difference(visible(a), visible(b));
}

for (const format of FORMATS) {
  // GIF has no partial transparency.
  const channels = format === 'gif' ? 3 : 4;

  describe(`as ${format}`, () => {
    it('nothing changes without an option', async () => {
      assert.deepEqual(await framesOf(numbered(), { format }), {
        order: [0, 1, 2, 3, 4, 5, 6, 7],
        delays: DELAYS.map((delay) => delay * 10),
      });
    });

    it('trim cuts both ends', async () => {
      verifies('gif.trim-start', 'gif.trim-end');
      assert.deepEqual(await framesOf(numbered(), { format, trim_start: 0.2, trim_end: 1.3 }), {
        order: [1, 2, 3, 4],
        delays: [100, 300, 400, 300],
      });
      assert.deepEqual((await framesOf(numbered(), { format, trim_start: 3.5 })).order, [7]);
      assert.deepEqual((await framesOf(numbered(), { format, trim_end: 0.1 })).order, [0]);
      assert.equal((await edit(numbered(), { format, trim_start: 3.5 })).animationMs, undefined);
    });

    it('every keeps every Nth frame', async () => {
      verifies('gif.every');
      assert.deepEqual(await framesOf(numbered(), { format, every: 3 }), {
        order: [0, 3, 6],
        delays: [600, 1500, 1500],
      });
      assert.deepEqual(await framesOf(numbered(), { format, every: 4 }), { order: [0, 4], delays: [1000, 2600] });
    });

    it('reverse plays backwards', async () => {
      verifies('gif.reverse');
      assert.deepEqual(await framesOf(numbered(), { format, reverse: true }), {
        order: [7, 6, 5, 4, 3, 2, 1, 0],
        delays: DELAYS.map((delay) => delay * 10).toReversed(),
      });
    });

    it('speed shortens or lengthens the delays', async () => {
      verifies('gif.speed', 'gif.speed.shortest-frame');
      const fast = await framesOf(numbered(), { format, speed: 400 });
      assert.deepEqual(fast.delays.slice(0, 2), format === 'gif' ? [30, 50] : [25, 50]);
      assert.equal(
        fast.delays.reduce((sum, delay) => sum + delay),
        900,
      );
      const slow = await framesOf(numbered(), { format, speed: 25 });
      assert.deepEqual(
        slow.delays,
        DELAYS.map((delay) => delay * 40),
      );
      const short = makeGif({
        width: 1,
        height: 1,
        table: COLOURS,
        frames: [0, 1, 2].map((index) => ({ width: 1, height: 1, indices: [index], delay: 3 })),
      });
      assert.deepEqual((await decodeAnimation((await edit(short, { format, speed: 400 })).bytes)).delays, [20, 20, 20]);
    });

    it('all options together are applied in the order of the API', async () => {
      verifies('gif.order');
      const options = { format, trim_start: 0.1, trim_end: 2.8, every: 2, reverse: true, speed: 200 };
      // The trim leaves frames 1 to 6. Of these, 1, 3 and 5 remain, with 500, 900 and 1300 ms.
      assert.deepEqual(await framesOf(numbered(), options), { order: [5, 3, 1], delays: [650, 450, 250] });
    });

    it('a frame without a delay plays as it does in browsers', async () => {
      const frames = [0, 1, null, 2].map((delay, index) => ({ width: 1, height: 1, indices: [index], delay }));
      const result = await edit(makeGif({ width: 1, height: 1, table: COLOURS, frames }), { format });
      assert.deepEqual((await decodeAnimation(result.bytes)).delays, [100, 100, 100, 20]);
      assert.equal(result.sourceAnimationMs, 320);
    });

    it('crop cuts the same area from every frame', async () => {
      verifies('gif.crop');
      const { bytes, images } = await texturedAnimation(3, channels);
      const result = await edit(bytes, { format, crop: '10,5,31,20', lossless: true });
      assert.deepEqual([result.width, result.height], [31, 20]);
      const { frames } = await decodeAnimation(result.bytes);
      for (const [index, { data, width, height }] of images.entries()) {
        const cut = await sharp(data, { raw: { width, height, channels } })
          .ensureAlpha()
          .extract({ left: 10, top: 5, width: 31, height: 20 })
          .raw()
          .toBuffer();
        const { max, mean } = visibleDifference(frames[index]!, { data: cut, width: 31, height: 20, channels: 4 });
        if (format === 'webp') assert.ok(max <= 1, `frame ${index}: ${max}`);
        else assert.ok(mean < 5, `frame ${index}: ${mean}`);
      }
    });

    it('crop accepts the whole frame and single pixels, but nothing outside', async () => {
      verifies('gif.crop');
      assert.equal((await edit(numbered(), { format, crop: '0,0,4,3' })).width, 4);
      const { width, height } = await edit(numbered(), { format, crop: '3,2,1,1' });
      assert.deepEqual([width, height], [1, 1]);
      for (const crop of ['0,0,5,3', '1,0,4,3', '4,0,1,1', '0,3,1,1']) {
        const failure = await failureOf('invalid_parameter', () => edit(numbered(), { format, crop }));
        assert.deepEqual([failure.param, failure.message.includes('4 x 3')], ['crop', true]);
      }
    });

    it('width resizes every frame and keeps the aspect ratio', async () => {
      verifies('gif.width');
      const { bytes, images } = await texturedAnimation(3, channels);
      const result = await edit(bytes, { format, width: 30 });
      assert.deepEqual([result.width, result.height], [30, 20]);
      const { frames } = await decodeAnimation(result.bytes);
      for (const [index, { data, width, height }] of images.entries()) {
        const small = await sharp(data, { raw: { width, height, channels } }).ensureAlpha().resize(30).raw().toBuffer();
        const { mean } = visibleDifference(frames[index]!, { data: small, width: 30, height: 20, channels: 4 });
        assert.ok(mean < 6, `frame ${index}: ${mean}`);
      }
    });

    it('width never enlarges, and no side becomes 0', { skip: nightlyOnly }, async () => {
      verifies('gif.width.never-enlarges');
      const { bytes } = await texturedAnimation(2);
      const size = async (width: number) => {
        const result = await edit(bytes, { format, width });
        return [result.width, result.height];
      };
      assert.deepEqual(await size(60), [60, 40]);
      assert.deepEqual(await size(61), [60, 40]);
      assert.deepEqual(await size(10_000), [60, 40]);
      assert.deepEqual(await size(59), [59, 39]);
      assert.deepEqual(await size(1), [1, 1]);
    });

    it('crop is applied before width', async () => {
      verifies('gif.order');
      const { bytes } = await texturedAnimation(2);
      const { width, height } = await edit(bytes, { format, crop: '20,10,40,10', width: 20 });
      assert.deepEqual([width, height], [20, 5]);
      assert.deepEqual((await edit(bytes, { format, crop: '20,10,10,10', width: 20 })).width, 10);
    });

    it('loop sets the number of plays, which defaults to that of the upload', async () => {
      verifies('gif.loop', 'gif.loop.default', 'gif.loop.bounds');
      const playsOf = async (repeats: number | undefined, loop?: number) =>
        (
          await decodeAnimation(
            (
              await edit(numbered(repeats), { format, ...(loop === undefined ? {} : { loop }) })
            ).bytes,
          )
        ).plays;
      // A loop block counts repetitions, not plays. So does the parameter.
      for (const [repeats, plays] of [
        [undefined, 1],
        [0, 0],
        [1, 2],
        [3, 4],
        [65_534, 65_535],
      ] as const) {
        assert.equal(await playsOf(repeats), plays, `${repeats} repeats`);
      }
      for (const [loop, plays] of [
        [0, 0],
        [1, 2],
        [7, 8],
      ] as const)
        assert.equal(await playsOf(3, loop), plays);
      // WebP counts plays in the same number of bits.
      assert.equal(await playsOf(undefined, 65_535), format === 'gif' ? 65_536 : 65_535);
    });
  });
}

describe('colours', () => {
  const coloursOf = ({ data }: RawImage): number => {
    const seen = new Set<number>();
    for (let at = 0; at < data.length; at += 4) seen.add(data[at + 3] === 0 ? -1 : data.readUIntBE(at, 3));
    return seen.size;
  };

  it('sets the palette size of a GIF file', async () => {
    verifies('gif.colours', 'gif.colours.bounds');
    const { bytes } = await texturedAnimation(3);
    const counts: number[] = [];
    for (const colours of [2, 3, 16, 100, 256]) {
      // The trim leaves one frame. Several frames may have different palettes, so their colours could exceed the limit.
      const { bytes: one } = await edit(bytes, { colours, trim_end: 0.08 });
      const { frames } = await decodeAnimation(one);
      assert.equal(frames.length, 1);
      counts.push(coloursOf(frames[0]!));
      assert.ok(counts.at(-1)! <= colours, `${counts.at(-1)} of ${colours}`);
    }
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    );
    assert.ok(counts[4]! > 200, 'and 256 are used');
    assert.deepEqual((await edit(bytes, { colours: 256 })).bytes, (await edit(bytes)).bytes, 'which is the default');
  });

  it('has no effect on WebP', async () => {
    const { bytes } = await texturedAnimation(2);
    assert.deepEqual(
      (await edit(bytes, { format: 'webp', colours: 2 })).bytes,
      (await edit(bytes, { format: 'webp' })).bytes,
    );
  });
});

describe('format', () => {
  it('is GIF unless WebP is requested', async () => {
    verifies('gif.format.values', 'gif.format.webp');
    const { bytes } = await texturedAnimation(2);
    for (const [options, format, signature] of [
      [{}, 'gif', 'GIF89a'],
      [{ format: 'gif' }, 'gif', 'GIF89a'],
      [{ format: 'webp' }, 'webp', 'RIFF'],
    ] as const) {
      for (const source of [bytes, numbered()]) {
        const result = await edit(source, options);
        assert.equal(result.format, format);
        assert.ok(result.bytes.toString('latin1').startsWith(signature));
        assert.equal((await sharp(result.bytes, { animated: true }).metadata()).format, format);
      }
    }
  });
});

it('a second edit with the opposite options restores the animation', async () => {
  verifies('gif.reverse', 'gif.reads-webp');
  const there = await edit(numbered(2), { format: 'webp', reverse: true, speed: 200 });
  const back = await edit(there.bytes, { reverse: true, speed: 50 });
  assert.deepEqual(await decodeAnimation(back.bytes), await decodeAnimation((await edit(numbered(2))).bytes));
});
