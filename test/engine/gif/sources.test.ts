/** Sources of gif: animated WebP, still images of any format, damaged files, and files over the limits. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import sharp from 'sharp';
import { chunksOf, write as writeWebpMetadata } from '../../../codecs/metadata/webp.ts';
import type { Engine } from '../../../engine/engine.ts';
import { Cancelled } from '../../../engine/errors.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { createPool } from '../../../engine/pool.ts';
import { DEFAULT_LIMITS, type EngineLimits } from '../../../engine/settings.ts';
import { damaged } from '../../support/damage.ts';
import { compress, inspect, ownBuffer, testEngine, testRestarts } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { difference, flat, pattern, pixel, type RawImage, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit, gifInput, makeGif } from './support.ts';

/** Bytes of a chunk's name and size. */
const CHUNK_HEADER = 8;

type Colour = [red: number, green: number, blue: number];
const RED: Colour = [255, 0, 0];
const GREEN: Colour = [0, 255, 0];
const BLUE: Colour = [0, 0, 255];

/** Encodes a lossless WebP animation of these images. */
async function webpOf(images: readonly RawImage[], delay: number[], loop = 0): Promise<Buffer> {
  const [{ width, height, channels }] = images as [RawImage];
  const raw = { width, height: height * images.length, channels: channels as 3, pageHeight: height };
  const column = Buffer.concat(images.map(({ data }) => data));
  return await sharp(column, { raw }).webp({ lossless: true, exact: true, delay, loop }).toBuffer();
}

/** Encodes frames of one colour each with sharp's own GIF encoder. */
async function gifOf(width: number, height: number, colours: readonly Colour[]) {
  const column = Buffer.concat(colours.map((colour) => flat(width, height, ...colour).data));
  const raw = { width, height: height * colours.length, channels: 3 as const, pageHeight: height };
  return await sharp(column, { raw })
    .gif({ delay: colours.map(() => 50), effort: 1 })
    .toBuffer();
}

/** Makes three images that have no pixels in common. */
const images = (channels: 3 | 4) =>
  [0, 1, 2].map((turn) => {
    const image = pattern(50, 30, channels);
    for (let at = 0; at < image.data.length; at += channels) image.data[at] = (image.data[at]! + turn * 80) % 256;
    return image;
  });

describe('an animated WebP', () => {
  it('is read like a GIF: frames, delays and plays', async () => {
    verifies('gif.reads-webp');
    const source = await webpOf(images(3), [33, 500, 20], 5);
    const { bytes, ...result } = await edit(source, { format: 'webp' });
    const { frames, delays, plays } = await decodeAnimation(bytes);
    assert.deepEqual([frames.length, delays, plays], [3, [33, 500, 20], 5]);
    assert.deepEqual([result.sourceFrames, result.sourceAnimationMs, result.warnings], [3, 553, []]);
    assert.deepEqual(result.source, { format: 'webp', bytes: source.length, width: 50, height: 30 });
    const gif = await decodeAnimation((await edit(source)).bytes);
    assert.deepEqual([gif.frames.length, gif.delays, gif.plays], [3, [30, 500, 20], 5]);
  });

  it('keeps every pixel and its transparency as lossless WebP', async () => {
    verifies('gif.format.webp', 'gif.lossless');
    const source = await webpOf(images(4), [100, 100, 100]);
    const { bytes } = await edit(source, { format: 'webp', lossless: true, reverse: true });
    const [before, now] = [await decodeAnimation(source), await decodeAnimation(bytes)];
    for (const [index, frame] of now.frames.entries()) {
      // libwebp's own blending is off by one where pixels are partly transparent.
      assert.ok(difference(frame, before.frames[2 - index]!).max <= 1, `frame ${index}`);
    }
  });

  it('is turned upright, frame by frame', async () => {
    const exif = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0);
    const source = writeWebpMetadata(await webpOf(images(3), [50, 50, 50]), { exif });
    const { bytes, ...result } = await edit(source, { format: 'webp', lossless: true });
    assert.deepEqual([result.width, result.height, result.source.width], [30, 50, 30]);
    const { frames } = await decodeAnimation(bytes);
    for (const [index, image] of images(3).entries()) {
      const { data } = await sharpOf(image).rotate(90).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      assert.equal(difference(frames[index]!, { data, width: 30, height: 50, channels: 4 }).max, 0, `frame ${index}`);
    }
  });
});

describe('frames that look the same', () => {
  const order = [RED, RED, GREEN, GREEN, GREEN, RED];
  const delay = [30, 40, 50, 60, 70, 80];

  it('stay separate frames with their own delays', async () => {
    const column = Buffer.concat(order.map((colour) => flat(9, 7, ...colour).data));
    const raw = { width: 9, height: 42, channels: 3 as const, pageHeight: 7 };
    const gif = await sharp(column, { raw }).gif({ delay, keepDuplicateFrames: true }).toBuffer();
    for (const format of ['gif', 'webp'] as const) {
      const { bytes } = await edit(gif, { format });
      const { frames, delays } = await decodeAnimation(bytes);
      assert.deepEqual(delays, delay, format);
      assert.deepEqual(
        frames.map((frame) => pixel(frame, 4, 3).slice(0, 3)),
        order,
      );
    }
  });

  it('stay an animation when nothing moves', async () => {
    const indices = Array(6).fill(1);
    const frames = delay.map((time) => ({ width: 3, height: 2, indices, delay: time / 10 }));
    const source = makeGif({ width: 3, height: 2, table: [0, 0x00ff00], frames, repeats: 4 });
    for (const format of ['gif', 'webp'] as const) {
      const result = await edit(source, { format });
      const decoded = await decodeAnimation(result.bytes);
      assert.deepEqual([decoded.delays, decoded.plays, result.frames], [delay, 5, 6], format);
      for (const frame of decoded.frames) assert.deepEqual(pixel(frame, 2, 1), [...GREEN, 255]);
    }
  });
});

describe('a WebP result', () => {
  it('has lossy frames by default and keeps every pixel with lossless', async () => {
    verifies('gif.format.webp', 'gif.lossless', 'gif.quality');
    const noise = await edit(await webpOf(images(3), [50, 50, 50]));
    const before = await decodeAnimation(noise.bytes);
    const options = { format: 'webp', every: 2 } as const;
    const differences = async (more: object) => {
      const { frames } = await decodeAnimation((await edit(noise.bytes, { ...options, ...more })).bytes);
      return frames.map((frame, place) => difference(frame, before.frames[2 * place]!).mean);
    };
    assert.deepEqual(await differences({ lossless: true }), [0, 0]);
    const [low, middle, high] = [
      await differences({ quality: 1 }),
      await differences({}),
      await differences({ quality: 100 }),
    ];
    for (const place of [0, 1])
      assert.ok(
        low[place]! > middle[place]! && middle[place]! > high[place]! && high[place]! > 0,
        `${[low, middle, high]}`,
      );
  });

  it('is lossless where that is smaller, as a still image too', async () => {
    const plain = await gifOf(40, 30, [RED, GREEN, BLUE]);
    const small = await edit(plain, { format: 'webp', width: 20 });
    const { frames } = await decodeAnimation(small.bytes);
    assert.deepEqual(
      frames.map((frame) => pixel(frame, 10, 7)),
      [RED, GREEN, BLUE].map((colour) => [...colour, 255]),
    );
    for (const { bytes } of [small, await edit(plain, { format: 'webp', page: 2 })])
      assert.ok(bytes.includes('VP8L') && !bytes.includes('VP8 '));
  });

  it('of a photograph is lossy', async () => {
    const jpeg = await sharpOf(pattern(300, 200)).jpeg().toBuffer();
    assert.ok((await edit(jpeg, { format: 'webp' })).bytes.includes('VP8 '));
  });
});

describe('a still image', () => {
  it('counts as an animation of one frame, whatever its format', async () => {
    verifies('gif.endpoint');
    const image = sharpOf(pattern(40, 30));
    const sources = [
      await image.clone().png().toBuffer(),
      await image.clone().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
      await image.clone().webp({ lossless: true }).toBuffer(),
      await image.clone().gif().toBuffer(),
      await image.clone().tiff().toBuffer(),
    ];
    const expected = { ...pattern(40, 30) };
    for (const source of sources) {
      for (const format of ['gif', 'webp'] as const) {
        const { bytes, ...result } = await edit(source, { format, reverse: true, every: 4, trim_end: 5 });
        const facts = [result.frames, result.animationMs, result.sourceFrames, result.sourceAnimationMs];
        assert.deepEqual(facts, [1, undefined, 1, undefined]);
        assert.deepEqual([result.width, result.height, result.warnings], [40, 30, []]);
        const { frames } = await decodeAnimation(bytes);
        assert.equal(frames.length, 1);
        const data = await sharp(frames[0]!.data, { raw: { width: 40, height: 30, channels: 4 } })
          .removeAlpha()
          .raw()
          .toBuffer();
        assert.ok(difference({ ...expected, data }, expected).mean < 6, `${result.source.format} as ${format}`);
      }
    }
  });

  it('can be cropped and resized, and is trimmed as one frame of 100 ms', async () => {
    const source = await sharpOf(pattern(40, 30)).png().toBuffer();
    const { width, height } = await edit(source, { crop: '0,0,20,30', width: 10 });
    assert.deepEqual([width, height], [10, 15]);
    const failure = await failureOf('invalid_parameter', () => edit(source, { trim_start: 0.1 }));
    assert.match(failure.message, /\(0\.1 s\) for trim_start but received 0\.1\.$/);
  });

  it('is the frame that page selects from an animation, with a warning', async () => {
    const source = await gifOf(6, 5, [RED, GREEN, BLUE]);
    const { bytes, ...result } = await edit(source, { page: 3 });
    assert.deepEqual([result.frames, result.animationMs, result.warnings], [1, undefined, ['animation_flattened']]);
    assert.deepEqual([result.sourceFrames, result.sourceAnimationMs], [3, 150], 'what the upload has');
    assert.deepEqual(pixel((await decodeAnimation(bytes)).frames[0]!, 3, 2), [...BLUE, 255]);
    await failureOf('page_out_of_range', () => edit(source, { page: 4 }));
  });
});

describe('without an edit', () => {
  /** A GIF of noise, as small as this encoder makes it, with a comment in it. */
  const small = async () => {
    // Encoded twice: the first time chooses the colours, which the second time keeps.
    const { bytes } = await edit((await edit(await webpOf(images(3), [50, 60, 70], 4))).bytes);
    const comment = Buffer.from([0x21, 0xfe, 5, ...Buffer.from('hello'), 0]);
    return { bytes, commented: Buffer.concat([bytes.subarray(0, -1), comment, bytes.subarray(-1)]) };
  };

  it('the result is never larger than the upload: it is the upload without its metadata', async () => {
    const { bytes, commented } = await small();
    for (const options of [{}, { width: 4000, loop: 3, speed: 100, trim_start: 0, trim_end: 60 }]) {
      const kept = await edit(commented, options);
      assert.deepEqual([kept.outcome, kept.bytes.equals(bytes)], ['kept_original', true]);
      assert.deepEqual([kept.frames, kept.animationMs, kept.source.bytes], [3, 180, commented.length]);
    }
    const webp = await webpOf(images(3), [50, 60, 15]);
    const kept = await edit(webp, { format: 'webp', lossless: true });
    assert.ok(kept.bytes.length <= webp.length);
    assert.deepEqual((await decodeAnimation(kept.bytes)).delays, [50, 60, kept.outcome === 'kept_original' ? 15 : 20]);
  });

  it('every edit and every other format makes a new file', async () => {
    const { bytes } = await small();
    const edits = [
      { crop: '0,0,49,30' },
      { width: 49 },
      { trim_start: 0.05 },
      { trim_end: 0.1 },
      { speed: 50 },
      { reverse: true },
      { every: 2 },
      { loop: 0 },
      { page: 2 },
      { format: 'webp' },
    ] as const;
    for (const options of edits)
      assert.notEqual((await edit(bytes, options)).outcome, 'kept_original', JSON.stringify(options));
    assert.equal((await edit(bytes, { lossy: 200 })).outcome, 'reduced');
  });
});

describe('many small frames', () => {
  it('take little time for each', async () => {
    const frames = Array.from({ length: 1024 }, (_, index) => ({
      width: 1,
      height: 1,
      indices: [index % 4],
      delay: 5,
    }));
    const source = makeGif({ width: 1, height: 1, table: [0, 0xff0000, 0x00ff00, 0x0000ff], frames, repeats: 2 });
    // A limit of processor time: one by one, the frames took 20 s of it.
    const pool = await createPool({ workers: 1, warmThreads: false, timeoutMs: 8000 });
    try {
      const params = compressParams.extend(sourceParams.shape).parse({ format: 'gif', mode: 'quality' });
      const { data } = await pool.run('compress', { image: { data: ownBuffer(source) }, params });
      const decoded = await decodeAnimation(Buffer.from(data));
      assert.deepEqual([decoded.frames.length, decoded.plays], [1024, 3]);
      assert.deepEqual(
        decoded.frames.slice(0, 4).map((frame) => pixel(frame, 0, 0).slice(0, 3)),
        [[0, 0, 0], RED, GREEN, BLUE],
      );
    } finally {
      await pool.close();
    }
  });
});

describe('the result', () => {
  it('reports whether the file became smaller', async () => {
    const gif = await gifOf(60, 60, [RED, GREEN, BLUE]);
    const raw = makeGif({
      width: 60,
      height: 60,
      table: [0, 0xffffff],
      frames: [0, 1].map((index) => ({ width: 60, height: 60, indices: Array(3600).fill(index) })),
    });
    assert.equal((await edit(raw)).outcome, 'reduced');
    const result = await edit(await sharpOf(pattern(60, 60)).jpeg({ quality: 20 }).toBuffer());
    assert.deepEqual([result.outcome, result.bytes.length > result.source.bytes], ['grown', true]);
    assert.equal((await edit(gif)).source.bytes, gif.length);
  });
});

describe('a damaged file', () => {
  it('that is truncated is used as far as it goes, with a warning', async () => {
    const frames = [0, 1, 2].map((index) => ({ width: 40, height: 40, indices: Array(1600).fill(index) }));
    const source = makeGif({ width: 40, height: 40, table: [0xff0000, 0x00ff00, 0x0000ff, 0], frames });
    const cut = source.subarray(0, source.length - 300);
    for (const format of ['gif', 'webp'] as const) {
      const result = await edit(cut, { format });
      assert.deepEqual([result.frames, result.warnings], [3, ['truncated_source']]);
      const decoded = await decodeAnimation(result.bytes);
      assert.deepEqual(pixel(decoded.frames[1]!, 5, 5).slice(0, 3), [...GREEN]);
      assert.deepEqual(pixel(decoded.frames[2]!, 5, 5).slice(0, 3), [...BLUE], 'the part that is there');
      assert.deepEqual(pixel(decoded.frames[2]!, 5, 39).slice(0, 3), [...GREEN], 'and below it what was there before');
    }
  });

  it('of WebP is used as far as its frames are complete, by every operation', async () => {
    const whole = await webpOf(images(3), [50, 60, 70], 3);
    const shown = (await decodeAnimation(whole)).frames;
    const frameStarts = [...chunksOf(whole)]
      .filter(({ name }) => name === 'ANMF')
      .map(({ data }) => data.byteOffset - whole.byteOffset - CHUNK_HEADER);
    const [first, second, third] = frameStarts as [number, number, number];
    for (const [length, frames] of [
      [whole.length - 1, 2],
      ...(isNightly ? [[third + 20, 2] as const, [third + CHUNK_HEADER, 2] as const, [third + 3, 2] as const] : []),
      [third, 2],
      [third - 1, 1],
      ...(isNightly ? [[second, 1] as const] : []),
    ] as const) {
      const cut = whole.subarray(0, length);
      const edited = await edit(cut, { format: 'webp', lossless: true });
      assert.deepEqual([edited.frames, edited.sourceFrames, edited.warnings], [frames, frames, ['truncated_source']]);
      const compressed = await compress(cut, { format: 'webp', mode: 'lossless' });
      assert.deepEqual(compressed.warnings, ['truncated_source']);
      for (const bytes of [edited.bytes, compressed.bytes]) {
        const decoded = await decodeAnimation(bytes);
        assert.equal(decoded.frames.length, frames);
        if (frames > 1) assert.deepEqual([decoded.delays, decoded.plays], [[50, 60], 3]);
        for (const [index, frame] of decoded.frames.entries())
          assert.equal(difference(frame, shown[index]!).max, 0, `frame ${index} of ${length} bytes`);
      }
      const record = await inspect(cut);
      assert.deepEqual([record.pages, record.warnings], [frames, ['truncated_source']]);
      assert.ok(record.blurhash, 'the pixels were seen');
    }
    for (const length of [second - 1, first + 20, first, first - 2]) {
      for (const run of [edit, compress])
        await failureOf('corrupt_image', () => run(whole.subarray(0, length)) as Promise<unknown>);
    }
    assert.deepEqual((await edit(whole)).warnings, []);
  });

  it('is rejected or edited, and never crashes the worker', { skip: nightlyOnly }, async () => {
    const source = await gifOf(30, 20, [RED, GREEN, BLUE, RED]);
    const webp = await webpOf(images(4), [50, 50, 50]);
    let edited = 0;
    for (const [seed, file] of [source, webp].entries()) {
      for (const broken of damaged(file, 60, seed)) {
        try {
          await edit(broken, { width: 10, every: 2 });
          edited += 1;
        } catch (error) {
          const { code } = error as { code?: string };
          const known = ['corrupt_image', 'unsupported_format', 'image_too_large', 'page_out_of_range'];
          assert.ok(known.includes(code ?? ''), `${code}: ${error}`);
        }
      }
    }
    assert.ok(edited > 0);
  });
});

describe('size limits', () => {
  const pools: Engine[] = [];
  after(() => Promise.all(pools.map((pool) => pool.close())));
  async function withLimits(limits: Partial<EngineLimits>) {
    const pool = await createPool({ workers: 1, limits: { ...DEFAULT_LIMITS, ...limits }, warmThreads: false });
    pools.push(pool);
    return pool;
  }

  it('reject too many frames times pixels from the header', { skip: nightlyOnly }, async () => {
    const source = await gifOf(100, 100, [RED, GREEN, BLUE]);
    const pool = await withLimits({ pixels: 29_999 });
    const failure = await failureOf('image_too_large', () => pool.run('gif', gifInput(source)));
    assert.match(failure.message, /at most 29999 pixels for image but received 100 x 100 pixels in 3 frames/);
    // Frames that the trim removes are never decoded.
    assert.equal((await pool.run('gif', gifInput(source, { trim_end: 0.1 }))).frames, 2);
    const enough = await withLimits({ pixels: 30_000 });
    assert.equal((await enough.run('gif', gifInput(source))).frames, 3);
  });

  it('reject frames that exceed the memory, but not a smaller result', async () => {
    const source = await gifOf(100, 100, [RED, GREEN, BLUE]);
    // Three frames of the result, the encoder, and two copies of a source frame with its two canvases.
    const pool = await withLimits({ decodedBytes: 100 * 100 * (3 * 4 + 22 + 2 * 4 + 8) - 1 });
    const failure = await failureOf('image_too_large', () => pool.run('gif', gifInput(source)));
    assert.match(failure.message, /at most 499999 bytes of decoded pixels for image but received .* need 500000/);
    assert.equal((await pool.run('gif', gifInput(source, { width: 99 }))).frames, 3);
    assert.equal((await pool.run('gif', gifInput(source, { every: 2 }))).frames, 2);
  });

  it('reject too many frames, and allow exactly the maximum', { skip: nightlyOnly }, async () => {
    const frames = Array.from({ length: 5001 }, (_, index) => ({ width: 1, height: 1, indices: [index % 2] }));
    const gif = (count: number) =>
      makeGif({ width: 1, height: 1, table: [0, 0xffffff], frames: frames.slice(0, count) });
    const failure = await failureOf('image_too_large', () => edit(gif(5001)));
    assert.match(failure.message, /at most 5000 frames for image but received 5001 frames/);
    for (const format of ['gif', 'webp'] as const) {
      const result = await edit(gif(5000), { format });
      assert.equal(result.frames, 5000);
      assert.equal((await sharp(result.bytes, { animated: true }).metadata()).pages, 5000);
    }
  });

  it('reject more than the format allows', async () => {
    const wide = await sharp({ create: { width: 16_384, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await failureOf('unsupported_output', () => edit(wide, { format: 'webp' }));
    assert.equal((await edit(wide)).width, 16_384);
  });

  it('do not delay the next edit: one whose client disconnects is stopped', async () => {
    const pool = await testEngine();
    const restarts = testRestarts();
    // Single pixels on a large screen: a small file with more than 200 million pixels.
    const frames = Array.from({ length: 100 }, (_, at) => ({ left: at, width: 1, height: 1, indices: [at % 4] }));
    const source = makeGif({ width: 1500, height: 1500, table: [0, 0xff0000, 0x00ff00, 0xffffff], frames });
    // Enough time to be in the middle of the frames. The whole task takes many times as long.
    const client = new AbortController();
    const gone = pool.run('gif', gifInput(source, { width: 1200 }), {
      signal: client.signal,
      onStart: () => setTimeout(() => client.abort(), 300),
    });
    await assert.rejects(gone, Cancelled);
    assert.deepEqual(testRestarts(), [...restarts, 'cancel']);
    assert.equal((await pool.run('gif', gifInput(await gifOf(4, 4, [RED, GREEN])))).frames, 2);
    assert.deepEqual([pool.stats().admittedBytes, pool.stats().admittedPixels], [0, 0]);
  });
});
