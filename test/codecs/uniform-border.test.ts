/** The content inside a uniform border, against a search that looks at every pixel. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isSequential } from '../../codecs/decoded-image.ts';
import { compileModules, type Modules } from '../../codecs/modules.ts';
import type { Rectangle } from '../../codecs/rectangle.ts';
import { findContent } from '../../codecs/uniform-border.ts';
import { type Image, startVips, type VipsApi, withFreedHandles } from '../../codecs/vips.ts';
import { Random } from '../support/random.ts';

interface Samples {
  width: number;
  height: number;
  bands: number;
  depth: 8 | 16;
  at(x: number, y: number): number[];
}

const inside = (size: number, at: number) => Math.max(0, Math.min(size - 1, at));

/** A border with noise, and a few pixels in a place that may touch the sides. */
function drawing(random: Random, bands: number, depth: 8 | 16, isLarge: boolean): Samples {
  const width = isLarge ? 600 + random.integer(200) : 1 + random.integer(90);
  const height = isLarge ? 900 : 1 + random.integer(200);
  const unit = depth === 8 ? 1 : 257;
  const hasAlpha = bands % 2 === 0;
  const border = Array.from({ length: bands }, (_, band) =>
    hasAlpha && band === bands - 1 ? [0, 3, 255][random.integer(3)]! : 30 + random.integer(200),
  );
  const lower = random.integer(3) === 0 ? border.map((sample) => 255 - sample) : border;
  const pixels = Array.from({ length: width * height }, (_, at) =>
    (at < (width * height) / 2 ? border : lower).map((sample) =>
      Math.max(0, Math.min(255 * unit, sample * unit + random.integer(9 * unit) - 4 * unit)),
    ),
  );
  const left = random.integer(width);
  const top = random.integer(height);
  const [wide, tall] = random.pick([
    [30, 40],
    [width, height],
  ] as const);
  for (let count = random.integer(12); count > 0; count -= 1) {
    const x = inside(width, left + random.integer(wide) - (wide >> 1));
    const y = inside(height, top + random.integer(tall) - (tall >> 1));
    pixels[y * width + x] = Array.from({ length: bands }, () => random.integer(256) * unit);
  }
  return { width, height, bands, depth, at: (x, y) => pixels[y * width + x]! };
}

/** The smallest rectangle around all pixels that are no border. */
function expectedContent({ width, height, bands, depth, at }: Samples, threshold: number): Rectangle | null {
  const limit = depth === 8 ? threshold : threshold * 257;
  const isClear = (pixel: number[]) => bands % 2 === 0 && pixel[bands - 1]! <= limit;
  const isNear = (one: number[], other: number[]) =>
    one.every((sample, band) => Math.abs(sample - other[band]!) <= limit);
  const agree = (one: number[], other: number[]) => (isClear(one) && isClear(other)) || isNear(one, other);
  const corners = [at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)];
  const votes = corners.map((corner) => corners.filter((other) => agree(corner, other)).length);
  const most = Math.max(...votes);
  if (most === 1) return { left: 0, top: 0, right: width, bottom: height };
  const border = corners[votes.indexOf(most)]!;
  const isContent = (pixel: number[]) =>
    !isClear(pixel) && (isClear(border) ? !isClear(pixel) : !isNear(pixel, border));
  let found = null as Rectangle | null;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!isContent(at(x, y))) continue;
      found = {
        left: Math.min(found?.left ?? x, x),
        top: found?.top ?? y,
        right: Math.max(found?.right ?? 0, x + 1),
        bottom: y + 1,
      };
    }
  }
  return found;
}

const INTERPRETATIONS = {
  8: ['b-w', 'b-w', 'srgb', 'srgb'],
  16: ['grey16', 'grey16', 'rgb16', 'rgb16'],
} as const;

describe('the content of an image', () => {
  let modules: Modules;
  let vips: VipsApi;
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules));
  });

  function toImage({ width, height, bands, depth, at }: Samples): Image {
    const samples = Array.from({ length: width * height }, (_, index) => at(index % width, Math.floor(index / width)));
    const data = depth === 8 ? Uint8Array.from(samples.flat()) : Uint16Array.from(samples.flat());
    const format = depth === 8 ? vips.BandFormat.uchar : vips.BandFormat.ushort;
    const interpretation = INTERPRETATIONS[depth][bands - 1]!;
    return vips.Image.newFromMemory(data, width, height, bands, format).copy({ interpretation });
  }

  const contentOf = (threshold: number, open: () => Image[]) =>
    findContent(
      { vips, modules },
      async () => ({ frames: open() as [Image, ...Image[]], timing: null, icc: undefined }),
      threshold,
    );

  for (const depth of [8, 16] as const)
    for (const bands of [1, 2, 3, 4])
      it(`of ${bands} bands of ${depth} bits is found, whether it is in memory or read once`, async () => {
        const random = new Random(bands * depth);
        for (let round = 0; round < 60; round += 1) {
          const drawn = drawing(random, bands, depth, round % 10 === 0);
          const threshold = [0, 4, 8, 10, 40][random.integer(5)]!;
          const expected = expectedContent(drawn, threshold);
          await withFreedHandles(vips, async () => {
            const image = toImage(drawn);
            assert.deepEqual(await contentOf(threshold, () => [image]), expected, `${round} in memory`);
            const bytes = image.writeToBuffer('.png');
            const open = () => [vips.Image.pngloadBuffer(bytes, { access: 'sequential' })];
            assert.ok(isSequential(open()[0]!));
            assert.deepEqual(await contentOf(threshold, open), expected, `${round} read once`);
          });
        }
      });

  it('has that of all frames', () =>
    withFreedHandles(vips, async () => {
      const dot = (left: number, top: number): Image =>
        toImage({
          width: 40,
          height: 30,
          bands: 3,
          depth: 8,
          at: (x, y) => (x === left && y === top ? [9, 9, 9] : [255, 255, 255]),
        });
      assert.deepEqual(await contentOf(10, () => [dot(5, 20), dot(-1, -1), dot(31, 4)]), {
        left: 5,
        top: 4,
        right: 32,
        bottom: 21,
      });
      assert.equal(await contentOf(10, () => [dot(-1, -1), dot(-1, -1)]), null);
    }));
});
