/** The visible colour difference. `npm run bench:smart` compares it with Butteraugli on the same encodings. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { prepareDistance } from '../../../engine/quality/distance.ts';
import type { Rgb } from '../../../engine/quality/rgb.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { rgb, SCENES, scene } from '../../support/scenes.ts';

const SIZES = [
  [1, 1],
  [1, 90],
  [90, 1],
  [7, 5],
  [32, 32],
  [33, 70],
  [257, 130],
] as const;

type Pixel = readonly [number, number, number];

function made(width: number, height: number, pixel: (x: number, y: number) => Pixel): Rgb {
  const data = Uint8Array.from({ length: 3 * width * height }, (_, at) => {
    const index = Math.floor(at / 3);
    return pixel(index % width, Math.floor(index / width))[at % 3]!;
  });
  return { data, width, height };
}

const texture = (x: number, y: number): Pixel => [(x * 37 + y * 11) % 256, (x * 5 + y * 71) % 256, (x * y) % 256];
const distance = (a: Rgb, b: Rgb): number => prepareDistance(a).compare(b);

describe('the distance', () => {
  it('is 0 for identical images of every size', () => {
    for (const [width, height] of SIZES) {
      const image = made(width, height, texture);
      assert.equal(distance(image, image), 0, `${width} x ${height}`);
    }
  });

  it('is above 0 when one pixel differs, wherever it is', () => {
    for (const [width, height] of SIZES) {
      const image = made(width, height, texture);
      for (const pixel of [0, width - 1, (height - 1) * width, width * height - 1, (width * height) >> 1]) {
        const data = image.data.map((value, at) => (Math.floor(at / 3) === pixel ? value ^ 0x80 : value));
        assert.ok(distance(image, { ...image, data }) > 0, `${width} x ${height}, pixel ${pixel}`);
      }
    }
  });

  it('falls as the quality of a JPEG rises', async () => {
    for (const kind of SCENES) {
      const { data, width, height } = scene(kind, 320, 240);
      const reference = prepareDistance({ data, width, height });
      const image = sharp(data, { raw: { width, height, channels: 3 } });
      const distances: number[] = [];
      for (const quality of [10, 25, 45, 65, 85, 97])
        distances.push(reference.compare(await rgb(sharp(await image.jpeg({ quality }).toBuffer()))));
      assert.deepEqual(
        distances,
        distances.toSorted((a, b) => b - a),
        kind,
      );
    }
  });

  it('detects colour changes where the luminance hardly changes', () => {
    const grey = made(128, 128, () => [120, 120, 120]);
    const striped = made(128, 128, (x) => [120, 120, x % 4 < 2 ? 100 : 140]);
    assert.ok(distance(grey, striped) > 1.5, `${distance(grey, striped)}`);
  });

  it('weighs an error on a flat background more than one beside text', () => {
    const print = scene('print', 128, 128);
    const inked = { data: new Uint8Array(print.data), width: 128, height: 128 };
    const noisy = ({ data, ...size }: Rgb): Rgb => ({
      ...size,
      data: data.map((value, at) => (at % 2 ? value : value ^ 8)),
    });
    const flat = made(128, 128, () => [120, 120, 120]);
    assert.ok(distance(flat, noisy(flat)) > 1.3 * distance(inked, noisy(inked)));
  });

  it('weighs errors in one place more than the same errors spread out, also in a large image', () => {
    const flat = made(512, 512, () => [120, 130, 140]);
    const wrong = (isWrong: (x: number, y: number) => boolean) =>
      distance(
        flat,
        made(512, 512, (x, y) => (isWrong(x, y) ? [120, 130 + 24 * ((x + y) % 2), 140] : [120, 130, 140])),
      );
    const everywhere = wrong(() => true);
    const spot = wrong((x, y) => x >= 200 && x < 264 && y >= 100 && y < 164);
    // The spot is a 64th of the image. By its share alone it would count a quarter, the third root of a 64th.
    assert.ok(spot < everywhere && spot > 0.4 * everywhere, `${spot} of ${everywhere}`);
  });

  it('of a large image is measured on bands', { skip: nightlyOnly }, () => {
    const striped = (width: number, height: number, noise: number) => {
      const row = Uint8Array.from({ length: 3 * width }, (_, at) =>
        at % 3 === 2 ? noise * ((at * 7) % 5) : 90 + (at % 40),
      );
      return { data: new Uint8Array(Buffer.alloc(3 * width * height, row)), width, height };
    };
    const of = (height: number) => distance(striped(2400, height, 1), striped(2400, height, 3));
    const [large, part] = [of(2000), of(1000)];
    assert.ok(Math.abs(large / part - 1) < 0.01, `${large} and ${part}`);
  });

  it('rejects a candidate of another size', () => {
    assert.throws(() => distance(made(4, 6, texture), made(6, 4, texture)), {
      name: 'RangeError',
      message: 'Expected a candidate of 4 x 6 but received 6 x 4.',
    });
  });
});
