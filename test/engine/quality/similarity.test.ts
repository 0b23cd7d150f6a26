import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import type { Luminance } from '../../../engine/quality/scales.ts';
import { prepareReference, similarity } from '../../../engine/quality/similarity.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { luminance, SCENES, scene } from '../../support/scenes.ts';
import { multiScaleSsim } from './definition.ts';

const flat = (value: number, width: number, height: number): Luminance => ({
  data: new Uint8Array(width * height).fill(value),
  width,
  height,
});

/** Returns a texture with a different value in every pixel's neighbourhood. */
const texture = (width: number, height: number): Luminance => ({
  data: Uint8Array.from({ length: width * height }, (_, at) => 40 + ((at * 7919 + (at >> 3) * 104729) % 170)),
  width,
  height,
});

const changed = (image: Luminance, change: (value: number, x: number, y: number) => number): Luminance => ({
  ...image,
  data: image.data.map((value, at) => change(value, at % image.width, Math.floor(at / image.width))),
});

const SIZES = [
  [1, 1],
  [1, 300],
  [300, 1],
  [3, 3],
  [7, 5],
  [8, 8],
  [9, 17],
  [15, 16],
  [128, 128],
  [131, 257],
  [320, 200],
] as const;

/** Returns an image with its JPEG versions, worst first. */
async function jpegSeries(source: Sharp, qualities: readonly number[]) {
  const original = await source.png().toBuffer();
  return {
    original: await luminance(sharp(original)),
    versions: await Promise.all(
      qualities.map(async (quality) => luminance(sharp(await sharp(original).jpeg({ quality }).toBuffer()))),
    ),
  };
}

const sceneSource = (kind: (typeof SCENES)[number], width: number, height: number) => {
  const { data } = scene(kind, width, height);
  return sharp(data, { raw: { width, height, channels: 3 } });
};

/** Windows of another shape weigh the same error differently, most of all in small images like these. */
function assertClose(value: number, definition: number): void {
  assert(Math.abs(value - definition) <= 0.35 * (1 - definition) + 0.0005, `${value} instead of ${definition}`);
}

describe('similarity', () => {
  test('is exactly 1 for identical images of every size', () => {
    for (const [width, height] of SIZES) {
      for (const image of [texture(width, height), flat(0, width, height), flat(255, width, height)]) {
        assert.equal(prepareReference(image).compare(image), 1, `${width} x ${height}`);
      }
    }
  });

  test('is below 1 when one pixel differs, wherever it is', () => {
    for (const [width, height] of SIZES) {
      const image = texture(width, height);
      for (const [x, y] of [
        [0, 0],
        [width - 1, 0],
        [0, height - 1],
        [width - 1, height - 1],
        [width >> 1, height >> 1],
      ]) {
        const spot = changed(image, (value, atX, atY) => (atX === x && atY === y ? value ^ 0x80 : value));
        const value = prepareReference(image).compare(spot);
        assert(value < 1, `${width} x ${height} at ${x},${y}: ${value}`);
      }
    }
  });

  test('stays between 0 and 1 when nothing is alike', () => {
    for (const [width, height] of SIZES) {
      const image = texture(width, height);
      const strangers = [changed(image, (value) => 255 - value), flat(0, width, height), flat(255, width, height)];
      for (const other of [...strangers, changed(image, (value, x, y) => ((x + y) % 2 ? 255 - value : value))]) {
        const value = prepareReference(image).compare(other);
        assert(value >= 0 && value <= 1, `${width} x ${height}: ${value}`);
      }
    }
    assert.equal(
      similarity(
        texture(64, 64),
        changed(texture(64, 64), (value) => 255 - value),
      ),
      0,
    );
  });

  test('of flat images is the luminance term of SSIM', () => {
    const luminanceTerm = (a: number, b: number) => (2 * a * b + 6.5025) / (a * a + b * b + 6.5025);
    // With one scale only, its weight is the whole product.
    for (const [a, b] of [
      [100, 110],
      [0, 255],
      [10, 12],
    ] as const) {
      const expected = luminanceTerm(a, b);
      assert(Math.abs(similarity(flat(a, 1, 1), flat(b, 1, 1)) - expected) < 1e-9);
      assert(Math.abs(similarity(flat(a, 8, 8), flat(b, 8, 8)) - expected) < 1e-9);
      assert(Math.abs(similarity(flat(a, 500, 400), flat(b, 500, 400)) - expected ** (0.1333 / 1.0001)) < 1e-9);
    }
  });

  test('does not depend on the order', () => {
    const [a, b] = [texture(200, 150), changed(texture(200, 150), (value, x) => (x % 9 ? value : value / 2))];
    assert(Math.abs(similarity(a, b) - similarity(b, a)) < 1e-12);
  });

  test('matches the definition by Gaussian windows', async () => {
    const pairs: [number, number][] = [];
    for (const kind of SCENES) {
      const { original, versions } = await jpegSeries(sceneSource(kind, 163, 127), [20, 60, 95]);
      for (const version of versions) pairs.push([similarity(original, version), multiScaleSsim(original, version)]);
    }
    for (const [value, definition] of pairs) assertClose(value, definition);
    for (const one of pairs) {
      for (const other of pairs.filter(([, definition]) => 1 - definition > 1.3 * (1 - one[1]))) {
        assert(one[0] > other[0], `ranks ${one} and ${other} the other way round`);
      }
    }
  });

  test('grows with the quality of a JPEG', async () => {
    for (const kind of SCENES) {
      const { original, versions } = await jpegSeries(sceneSource(kind, 320, 240), [5, 15, 25, 35, 50, 65, 80, 90, 97]);
      const reference = prepareReference(original);
      const values = versions.map((version) => reference.compare(version));
      values.slice(1).forEach((value, index) => {
        assert(value > values[index]!, `${kind}: ${values}`);
      });
    }
  });
});

describe('a reference', () => {
  test('gives each candidate the same value as a single comparison', async () => {
    const { original, versions } = await jpegSeries(sceneSource('photo', 301, 203), [20, 60, 90]);
    const reference = prepareReference(original);
    const alone = versions.map((version) => prepareReference(original).compare(version));
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 1, 0],
    ]) {
      for (const index of order) assert.equal(reference.compare(versions[index]!), alone[index]);
    }
    assert.equal(reference.compare(original), 1);
  });

  test('rejects a candidate of another size', () => {
    assert.throws(
      () => prepareReference(flat(1, 4, 6)).compare(flat(1, 6, 4)),
      /Expected a candidate of 4 x 6 but received 6 x 4/,
    );
  });
});

test('of photographs matches the definition', { skip: corpusSkipReason || nightlyOnly }, async () => {
  for (const path of ['faces/ulffd--imgs--17.jpg', 'subject/rembg--car-2.jpg']) {
    const { original, versions } = await jpegSeries(sharp(corpus(path)!).resize(240), [20, 50, 80]);
    for (const version of versions) {
      assertClose(similarity(original, version), multiScaleSsim(original, version));
    }
  }
});
