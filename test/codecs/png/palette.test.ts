/** Encodes PNG with a palette and reads it with sharp. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { compileModules, type Modules } from '../../../codecs/modules.ts';
import { fillPoints, NearestPoint } from '../../../codecs/png/nearest.ts';
import { encodePalettePng } from '../../../codecs/png.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import { Random } from '../../support/random.ts';
import { scene } from '../../support/scenes.ts';

let modules: Modules;
let vips: VipsApi;

interface Samples {
  data: Uint8Array;
  width: number;
  height: number;
  channels: number;
}

/** Encodes and decodes. Returns the depth in IHDR, and the samples: RGB, or RGBA if the source has alpha. */
async function encoded({ data, width, height, channels }: Samples, { quality = 75, dither = true } = {}) {
  const image = vips.Image.newFromMemory(data, width, height, channels, vips.BandFormat.uchar);
  const coloured = image.copy({ interpretation: channels < 3 ? 'b-w' : 'srgb' });
  const file = Buffer.from(encodePalettePng({ modules }, coloured, { quality, dither }));
  const decoded = channels % 2 === 0 ? sharp(file).ensureAlpha() : sharp(file).removeAlpha();
  return { depth: file[24], samples: new Uint8Array(await decoded.raw().toBuffer()) };
}

function draw(width: number, height: number, channels: number, sample: (x: number, y: number) => number[]): Samples {
  const data = new Uint8Array(width * height * channels);
  for (let at = 0; at < width * height; at++) data.set(sample(at % width, Math.floor(at / width)), at * channels);
  return { data, width, height, channels };
}

/** A photograph with round, shaded shapes of many colours in it, above white. */
function shapes(): Samples {
  const [width, height, white] = [480, 320, 240];
  const random = new Random(44);
  const { data } = scene('photo', width, height, 44);
  for (let shape = 0; shape < 14; shape++) {
    const [centreX, centreY, radius] = [random.integer(width), random.integer(height), 5 + random.integer(60)];
    const colour = Array.from({ length: 3 }, () => random.integer(256));
    const slope = Array.from({ length: 3 }, () => random.integer(200) - 100);
    const grain = random.integer(20);
    for (let y = Math.max(0, centreY - radius); y < Math.min(height, centreY + radius); y++) {
      for (let x = Math.max(0, centreX - radius); x < Math.min(width, centreX + radius); x++) {
        if (Math.hypot(x - centreX, y - centreY) >= radius) continue;
        for (let band = 0; band < 3; band++) {
          const value = colour[band]! + (slope[band]! * (x - centreX)) / radius + (random.next() - 0.5) * grain;
          data[3 * (y * width + x) + band] = Math.max(0, Math.min(255, value));
        }
      }
    }
  }
  data.fill(252, 3 * width * white);
  return { data, width, height, channels: 3 };
}

/** The differences between the mean values of two images in squares of this side. */
function squareDifferences({ data, width, height, channels }: Samples, other: Uint8Array, side: number): number[] {
  const differences: number[] = [];
  for (let top = 0; top + side <= height; top += side) {
    for (let left = 0; left + side <= width; left += side) {
      for (let band = 0; band < channels; band++) {
        let sum = 0;
        for (let at = 0; at < side * side; at++) {
          const place = ((top + Math.floor(at / side)) * width + left + (at % side)) * channels + band;
          sum += data[place]! - other[place]!;
        }
        differences.push(Math.abs(sum) / side ** 2);
      }
    }
  }
  return differences;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value) / values.length;

describe('PNG with a palette', () => {
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules));
  });

  it('never paints an area with a colour that the palette has nearer', async () => {
    const source = shapes();
    const { samples } = await encoded(source);
    // libimagequant 2.4.1 alone differs by 50.
    assert(Math.max(...squareDifferences(source, samples, 8)) < 12);
    const flat = 3 * source.width * 240;
    assert(samples.subarray(flat).every((value) => value === 252));
  });

  it('keeps the mean of smooth areas with dithering, and one colour for each without', async () => {
    const gradient = draw(256, 64, 3, (x, y) => [40 + x / 2, 60 + x / 2, y < 32 ? 90 : 200]);
    const dithered = await encoded(gradient, { quality: 10 });
    const plain = await encoded(gradient, { quality: 10, dither: false });
    const meanError = ({ samples }: { samples: Uint8Array }) => mean(squareDifferences(gradient, samples, 8));
    assert(meanError(dithered) < meanError(plain) / 2, `${meanError(dithered)}, ${meanError(plain)}`);
    // Without dithering each colour becomes one colour.
    const taken = new Map<string, string>();
    for (let at = 0; at < plain.samples.length; at += 3) {
      const before = gradient.data.subarray(at, at + 3).join();
      const after = plain.samples.subarray(at, at + 3).join();
      assert.equal(taken.get(before) ?? after, after);
      taken.set(before, after);
    }
  });

  for (const [count, depth] of [
    [2, 1],
    [3, 2],
    [11, 4],
    [40, 8],
  ] as const) {
    it(`writes ${count} colours exactly, in ${depth} bits`, async () => {
      const colours = Array.from({ length: count }, (_, index) => [index * 6, 255 - index * 5, (index * 97) % 256]);
      // No multiple of eight, so that the last byte of a row is not full.
      const source = draw(61, 80, 3, (x, y) => colours[(x + 7 * y) % count]!);
      const { samples, depth: written } = await encoded(source, { quality: 100 });
      assert.equal(written, depth);
      assert.deepEqual(samples, Uint8Array.from(source.data));
    });
  }

  it('keeps transparency, of pixels that are hardly visible too', async () => {
    const source = draw(90, 60, 4, (x, y) => (x < 30 ? [0, 0, 0, 0] : [200, 30 + y, 20, x < 60 ? 255 : 3 * y]));
    const { samples } = await encoded(source);
    for (let at = 0; at < samples.length; at += 4) {
      const [wanted, alpha] = [source.data[at + 3]!, samples[at + 3]!];
      if (wanted === 0 || wanted === 255) assert.equal(alpha, wanted);
      else assert(Math.abs(alpha - wanted) < 24, `${alpha} for ${wanted}`);
    }
  });

  it('takes grey with alpha', async () => {
    const source = draw(64, 64, 2, (x, y) => [4 * x, y < 32 ? 255 : 0]);
    const { samples } = await encoded({ ...source });
    for (let at = 0; at < 64 * 32; at++) {
      assert(Math.abs(samples[4 * at]! - source.data[2 * at]!) < 16);
      assert.equal(samples[4 * at + 3], 255);
    }
    assert(samples.subarray(4 * 64 * 32).every((value, at) => at % 4 !== 3 || value === 0));
  });
});

describe('NearestPoint', () => {
  for (const count of [1, 2, 17, 256]) {
    it(`finds the nearest of ${count} points`, () => {
      const random = new Random(count);
      const colours = Uint8Array.from({ length: 4 * count }, (_, at) => (at % 12 === 3 ? 255 : random.integer(256)));
      const points = new Float32Array(colours.length);
      fillPoints(colours, points);
      const nearest = new NearestPoint(points);
      const distance = (wanted: readonly number[], number: number) =>
        wanted.reduce((sum, value, axis) => sum + (value - points[4 * number + axis]!) ** 2, 0);
      for (let turn = 0; turn < 2000; turn++) {
        const wanted: [number, number, number, number] = [
          random.next() * 204,
          random.next() * 255,
          random.next() * 153,
          turn % 2 ? 255 : random.next() * 255,
        ];
        const least = Math.min(...Array.from({ length: count }, (_, number) => distance(wanted, number)));
        assert.equal(distance(wanted, nearest.find(...wanted)), least);
      }
    });
  }
});
