/** How our own encoders read the pixels of an image. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { imageInMemory } from '../../codecs/decoded-image.ts';
import { compileModules } from '../../codecs/modules.ts';
import { readRows, wholePixels } from '../../codecs/pixel-rows.ts';
import { type Image, startVips, type VipsApi } from '../../codecs/vips.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { scene } from '../support/scenes.ts';
import { sharpOf } from '../support/test-images.ts';

/** Larger than the limit up to which an RGB image is copied as a whole. */
const WIDTH = 4000;
const HEIGHT = 2900;

describe('readRows', () => {
  let vips: VipsApi;
  let file: Buffer;
  const open = (bytes: Uint8Array, access: 'sequential' | 'random') =>
    vips.Image.pngloadBuffer(bytes, { access, fail_on: 'truncated', memory: access === 'random' });

  /** Checks that the parts add up to the image, and returns their number. */
  function partsOf(image: Image, same: Image): number {
    const pixels = Buffer.from(same.writeToMemory() as Uint8Array);
    let at = 0;
    let parts = 0;
    readRows(vips, image, (data) => {
      assert.ok(pixels.subarray(at, at + data.length).equals(data), `at byte ${at}`);
      at += data.length;
      parts += 1;
    });
    assert.equal(at, pixels.length);
    return parts;
  }

  before(async () => {
    ({ vips } = await startVips(await compileModules()));
    file = await sharpOf(scene('photo', WIDTH / 10, HEIGHT / 10))
      .resize(WIDTH, HEIGHT, { kernel: 'nearest' })
      .png({ compressionLevel: 1 })
      .toBuffer();
  });

  it('is for images that cannot be read in one piece', () => {
    const image = open(file, 'random');
    assert.equal(wholePixels(image), undefined);
    const small = image.crop(100, 100, 300, 200);
    assert.deepEqual(wholePixels(small), small.writeToMemory());
  });

  it('passes on a large image in memory part by part', () => {
    const image = open(file, 'random');
    const parts = partsOf(image, image);
    assert.ok(parts > 1 && parts < 20, `${parts} parts`);
    assert.equal(partsOf(imageInMemory(open(file, 'sequential')), image), parts);
  });

  it('passes on a sequential image row by row, also after steps that need several rows', { skip: nightlyOnly }, () => {
    const steps = (image: Image) => image.resize(0.99).sharpen();
    assert.ok(partsOf(steps(open(file, 'sequential')), steps(open(file, 'random'))) > 1000);
  });

  it('frees each row of a sequential image before it passes on the next', async () => {
    const image = open(
      await sharpOf(scene('photo', 6000, 20))
        .png()
        .toBuffer(),
      'sequential',
    );
    const rows: Uint8Array[] = [];
    readRows(vips, image, (data) => {
      assert.ok(data.length > 0);
      assert.deepEqual(new Set(rows.map(({ length }) => length)), new Set(rows.length > 0 ? [0] : []));
      rows.push(data);
    });
    assert.equal(rows.length, 20);
  });

  it('passes on errors of its caller, and those of libvips for a file that ends early', () => {
    const fault = new RangeError('full');
    const take = () => {
      throw fault;
    };
    for (const access of ['sequential', 'random'] as const)
      assert.throws(
        () => readRows(vips, open(file, access), take),
        (error) => error === fault,
      );
    const cut = open(file.subarray(0, file.length / 2), 'sequential');
    assert.throws(
      () => readRows(vips, cut, () => {}),
      (error) => !(error instanceof Error),
    );
    // libvips still works after the error.
    const image = open(file, 'random').crop(0, 0, 10, 10);
    assert.equal(partsOf(image, image), 1);
  });
});
