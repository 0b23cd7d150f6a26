/** Files as read by three independent decoders: libvips, ImageMagick and gifsicle. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { type AnimationFrames, type GifWriteOptions, writeGif } from '../../../codecs/gif/write.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { skipWithout } from '../../support/tool.ts';
import {
  animationOf,
  decodeWithMagick,
  decodeWithVips,
  frameOf,
  gifsicleInfo,
  type Rgba,
  randomOf,
  toGifSamples,
} from './animations.ts';

const OTHERS = skipWithout('convert', 'gifsicle');
const CLEAR: Rgba = [0, 0, 0, 0];

/** Encodes, and checks every pixel of every frame with each installed decoder. */
async function assertExact(
  width: number,
  height: number,
  frames: readonly Uint8Array[],
  options: GifWriteOptions = { colours: 256 },
): Promise<Uint8Array> {
  const gif = writeGif(animationOf(width, height, frames), options);
  const expected = toGifSamples(Buffer.concat(frames));
  assert.ok(Buffer.compare(await decodeWithVips(gif), expected) === 0, 'libvips sees other pixels');
  if (!OTHERS) {
    // ImageMagick is built with its own size limit.
    const small = Math.max(width, height) <= 16_000;
    if (small) assert.ok(Buffer.compare(decodeWithMagick(gif), expected) === 0, 'ImageMagick sees other pixels');
    assert.doesNotMatch(gifsicleInfo(gif), /warning|error/i);
  }
  return gif;
}

const imagesOf = (gif: Uint8Array): RegExpMatchArray[] => [
  ...gifsicleInfo(gif).matchAll(/image #\d+ (\d+)x(\d+)(?: at (\d+),(\d+))?/g),
];

describe('pixels', () => {
  const PALETTE: readonly Rgba[] = [CLEAR, [255, 0, 0, 255], [0, 200, 0, 255], [9, 9, 9, 255], [8, 9, 9, 255]];

  for (let seed = 1; seed <= 12; seed += 1) {
    test(`are kept when boxes appear, disappear and become transparent, ${seed}`, async () => {
      const random = randomOf(seed);
      const below = (bound: number) => Math.floor(random() * bound);
      const [width, height] = [1 + below(40), 1 + below(40)];
      const colours = seed % 3 === 0 ? PALETTE.slice(1) : PALETTE;
      let frame = frameOf(width, height, () => colours[seed % colours.length] as Rgba);
      const frames = Array.from({ length: 2 + below(8) }, () => {
        const before = frame;
        frame = Uint8Array.from(frame);
        // Sometimes the previous frame returns, or nothing changes.
        if (random() < 0.2) return before;
        const [left, top, right, bottom] = [below(width), below(height), below(width + 1), below(height + 1)];
        const colour = colours[below(colours.length)] as Rgba;
        const noisy = random() < 0.3;
        for (let y = top; y < bottom; y += 1) {
          for (let x = left; x < right; x += 1) {
            frame.set(noisy ? (colours[below(colours.length)] as Rgba) : colour, 4 * (y * width + x));
          }
        }
        return frame;
      });
      await assertExact(width, height, frames);
      await assertExact(width, height, frames, { colours: colours.length });
    });
  }

  test('are kept when an object moves over a background', async () => {
    const random = randomOf(5);
    const shades = frameOf(90, 60, () => [40 + 3 * Math.floor(random() * 60), 0, 0, 255]);
    const frames = [0, 1, 2, 3, 4].map((step) =>
      frameOf(90, 60, (x, y) => {
        const inside = x >= step * 15 && x < step * 15 + 20 && y > 20 && y < 40;
        return inside
          ? [0, 0, 255, 255]
          : ([...shades.subarray(4 * (y * 90 + x), 4 * (y * 90 + x) + 4)] as unknown as Rgba);
      }),
    );
    await assertExact(90, 60, [shades, ...frames]);
  });

  test('are kept when the code table is full and is reset', async () => {
    for (const [seed, kinds] of [
      [1, 2],
      [2, 3],
      [3, 17],
      [4, 256],
    ] as const) {
      const random = randomOf(seed);
      const noise = () => frameOf(200, 150, () => [Math.floor(random() * kinds), 0, 0, 255]);
      // Half of the frame stays the same, so that the encoder can also leave pixels out.
      const [one, other] = [noise(), noise()];
      other.set(one.subarray(0, one.length / 2));
      const text = frameOf(200, 150, (x, y) => [((x * y) >> 6) % kinds, 0, 0, 255]);
      await assertExact(200, 150, [one, other, text, other]);
    }
  });

  test('are kept at the limits of the format', async () => {
    const stripes = (width: number, height: number) =>
      frameOf(width, height, (x, y) => [(x + y) % 7, ((x + y) >> 5) % 5, 0, 255]);
    await assertExact(65_535, 1, [stripes(65_535, 1)]);
    await assertExact(1, 65_535, [stripes(1, 65_535)]);
    await assertExact(1, 1, [frameOf(1, 1, () => [1, 2, 3, 255])]);
    await assertExact(1, 1, [frameOf(1, 1, () => CLEAR)]);
    await assertExact(3, 2, [frameOf(3, 2, () => CLEAR), frameOf(3, 2, () => CLEAR)]);
    await assertExact(3, 2, [
      frameOf(3, 2, () => CLEAR),
      frameOf(3, 2, () => [5, 5, 5, 255]),
      frameOf(3, 2, () => CLEAR),
    ]);
    await assertExact(2, 2, [frameOf(2, 2, (x) => [x * 255, 0, 0, 255])], { colours: 2 });
  });

  test('are kept in thousands of frames', { skip: nightlyOnly }, async () => {
    const frames = Array.from({ length: 3000 }, (_, index) =>
      frameOf(4, 4, (x, y) => (index % 16 === y * 4 + x ? [255, 255, 255, 255] : [index % 3, 0, 0, 255])),
    );
    await assertExact(4, 4, frames);
  });

  test('are kept when each frame has 256 colours of its own', async () => {
    const frames = [0, 1, 2].map((index) => frameOf(32, 16, (x, y) => [(y * 16 + (x >> 1)) & 255, 80 * index, 7, 255]));
    await assertExact(32, 16, frames);
  });

  test('are kept when an opaque frame with its own table gets a transparent hole', async () => {
    const shades = (blue: number, hole: boolean) =>
      frameOf(20, 10, (x, y) => (hole && x > 4 && x < 9 ? CLEAR : [y * 20 + x, 0, blue, 255]));
    await assertExact(20, 10, [shades(0, false), shades(90, false), shades(90, true), shades(0, false)]);
  });

  test('are kept when the first frame has transparent edges', async () => {
    const inside = (x: number, y: number) => x > 2 && x < 17 && y > 3 && y < 8;
    for (const kinds of [3, 50]) {
      const island = (blue: number) =>
        frameOf(20, 10, (x, y) => (inside(x, y) ? [(y * 20 + x) % kinds, 0, blue, 255] : CLEAR));
      await assertExact(20, 10, [island(90)]);
      await assertExact(20, 10, [island(90), island(0), island(0), island(0), island(90)], { colours: 64 });
      await assertExact(20, 10, [island(90), frameOf(20, 10, () => CLEAR), island(0)]);
    }
  });

  test('are kept with transparent edges on screens of sizes that libnsgif ignores', { skip: nightlyOnly }, async () => {
    for (const [width, height] of [
      [640, 480],
      [640, 512],
      [800, 600],
      [1024, 768],
      [1280, 1024],
      [1600, 1200],
      [2049, 9],
      [9, 2049],
    ] as const) {
      const island = frameOf(width, height, (x, y) => (x > 2 && x < 5 && y > 3 && y < 6 ? [9, 0, 90, 255] : CLEAR));
      await assertExact(width, height, [island, frameOf(width, height, () => CLEAR)]);
    }
  });

  test('are opaque from half alpha on', async () => {
    const gif = writeGif(animationOf(2, 1, [Uint8Array.of(1, 2, 3, 127, 1, 2, 3, 128)]), { colours: 256 });
    assert.deepEqual([...(await decodeWithVips(gif))], [0, 0, 0, 0, 1, 2, 3, 255]);
  });
});

describe('the written file', () => {
  const still = frameOf(40, 30, () => [10, 20, 30, 255]);
  const withDot = (x: number, y: number) => {
    const frame = Uint8Array.from(still);
    frame.set([200, 0, 0, 255], 4 * (y * 40 + x));
    return frame;
  };

  test('contains only the changed rectangle', { skip: OTHERS }, () => {
    const gif = writeGif(animationOf(40, 30, [still, withDot(7, 9), withDot(8, 9)]), { colours: 256 });
    assert.deepEqual(
      imagesOf(gif).map(([, ...numbers]) => numbers),
      [
        ['40', '30', undefined, undefined],
        ['1', '1', '7', '9'],
        ['1', '1', '8', '9'],
      ],
    );
  });

  test('leaves out the transparent area around the first frame', { skip: OTHERS }, async () => {
    const island = frameOf(40, 30, (x, y) => (x > 9 && x < 20 && y > 4 && y < 12 ? [10, 20, 30, 255] : CLEAR));
    const [first] = imagesOf(await assertExact(40, 30, [island, still])).map(([, ...numbers]) => numbers);
    assert.deepEqual(first, ['10', '7', '10', '5']);
  });

  test('leaves out unchanged pixels, however few colours there are', { skip: OTHERS }, async () => {
    const noise = randomOf(5);
    for (const colours of [2, 4, 8, 16]) {
      const shade = (value: number): Rgba => [Math.floor((value * 255) / (colours - 1)), 0, 0, 255];
      const grain = frameOf(200, 150, () => shade(Math.floor(noise() * colours)));
      const moving = [0, 1, 2, 3, 4].map((index) => {
        const frame = Uint8Array.from(grain);
        for (const x of [index, 199 - index]) {
          for (let y = 0; y < 150; y += 1) frame.set(shade((x + y) % colours), 4 * (y * 200 + x));
        }
        return frame;
      });
      const one = writeGif(animationOf(200, 150, [grain]), { colours }).length;
      const all = (await assertExact(200, 150, moving, { colours })).length;
      assert.ok(all < one * 1.5, `${colours} colours: ${all} bytes in five frames, ${one} in one`);
    }
  });

  test('has one pixel for a repeated frame, and none when repeated frames are merged', { skip: OTHERS }, async () => {
    const frames = [still, still, withDot(1, 1), withDot(1, 1), withDot(1, 1)];
    const animation = animationOf(40, 30, frames, { delays: [100, 50, 30, 30, 30] });
    const kept = writeGif(animation, { colours: 256 });
    assert.deepEqual(
      imagesOf(kept).map(([, width, height]) => `${width}x${height}`),
      ['40x30', '1x1', '1x1', '1x1', '1x1'],
    );
    const merged = writeGif(animation, { colours: 256, mergeDuplicates: true });
    const { pages, delay } = await sharp(merged, { animated: true }).metadata();
    assert.deepEqual([pages, delay], [2, [150, 90]]);
    assert.ok(merged.length < kept.length);
  });

  test('keeps a merged delay within the limit of a frame', async () => {
    const animation = animationOf(40, 30, [still, still, still], { delays: [400_000, 200_000, 100_000] });
    const { delay } = await sharp(writeGif(animation, { colours: 4, mergeDuplicates: true }), {
      animated: true,
    }).metadata();
    assert.deepEqual(delay, [600_000, 100_000]);
  });

  test('has one table for all frames that can share it', { skip: OTHERS }, async () => {
    const tiles = (blue: number, shift: number) =>
      frameOf(20, 10, (x, y) => [(y * 20 + x + shift) % 200, 0, blue, 255]);
    const gif = await assertExact(20, 10, [tiles(80, 0), ...[1, 2, 3, 4, 5].map((shift) => tiles(0, shift * 20))]);
    assert.equal(gifsicleInfo(gif).match(/local color table/g)?.length, 1);
  });

  test('plays as often as requested', async () => {
    const loops = (loop: number | null) =>
      writeGif(animationOf(40, 30, [still, withDot(0, 0)], { loop }), { colours: 4 });
    for (const plays of [0, 2, 3, 65_535]) {
      assert.equal((await sharp(loops(plays), { animated: true }).metadata()).loop, plays);
    }
    assert.ok(!Buffer.from(loops(null)).includes('NETSCAPE'));
    assert.ok(!Buffer.from(loops(1)).includes('NETSCAPE'));
  });

  test('does not drift from the requested delays', async () => {
    const delays = Array.from({ length: 300 }, (_, index) => [33, 34, 33, 47, 0][index % 5] as number);
    const frames = delays.map((_, index) => withDot(index % 40, 0));
    const written = (
      await sharp(writeGif(animationOf(40, 30, frames, { delays }), { colours: 4 }), { animated: true }).metadata()
    ).delay as number[];
    const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0);
    assert.ok(Math.abs(sum(written) - sum(delays.map((delay) => Math.max(delay, 20)))) < 10);
    assert.ok(
      written.every((delay, index) => delay >= 20 && Math.abs(delay - Math.max(delays[index] as number, 20)) < 10),
    );
  });

  test('is a still image without timing when there is one frame', () => {
    const gif = Buffer.from(writeGif(animationOf(40, 30, [still]), { colours: 256 }));
    assert.ok(!gif.includes('NETSCAPE') && !gif.includes(Buffer.of(0x21, 0xf9)));
  });
});

test('holds only a few frames in memory', () => {
  const [width, height, count] = [400, 400, 60];
  let reads = 0;
  const random = randomOf(3);
  const samples = new Uint8Array(width * height * 4);
  const animation: AnimationFrames = {
    width,
    height,
    delays: new Array(count).fill(40),
    loop: 0,
    read(index) {
      reads += 1;
      samples.fill(255);
      for (let at = 0; at < 400; at += 1) samples[4 * (index * 400 + at)] = Math.floor(random() * 256);
      return samples;
    },
  };
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const measured = {
    ...animation,
    read(index: number) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      return animation.read(index);
    },
  };
  writeGif(measured, { colours: 16 });
  assert.ok(reads <= 3 * count, `${reads} reads`);
  // Allows ten frames and the encoder's tables. All frames together would take 38 MB.
  assert.ok(most < 32_000_000, `${most} bytes`);
});
