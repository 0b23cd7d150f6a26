import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { readIconImages } from '../../codecs/formats/ico/directory.ts';
import { encodeIco } from '../../codecs/ico.ts';
import { withMagick } from '../support/magick.ts';
import { makeSamples } from '../support/samples.ts';

const noPng = () => assert.fail('a side below 256 needs no PNG');

test('writes icons of which ImageMagick reads every pixel, transparent ones too', async () => {
  for (const side of [16, 17, 31, 33, 48, 255]) {
    const image = makeSamples('noise', side, side, 4);
    for (let pixel = 0; pixel < side * side; pixel += 3) image.data[pixel * 4 + 3] = 0;
    await withMagick(encodeIco([image], noPng), 'Ico', (frames) => {
      assert.equal(frames.length, 1);
      assert.deepEqual(frames[0]!.samples(4), image.data, `${side} pixels`);
    });
  }
});

test('writes several images that are read back in order', async () => {
  const images = [16, 32, 48].map((side) => makeSamples('noise', side, side, 4));
  const file = encodeIco(images);
  await withMagick(file, 'Ico', (frames) => {
    assert.deepEqual(
      frames.map((frame) => frame.samples(4)),
      images.map(({ data }) => data),
    );
  });
  const read = readIconImages(file);
  assert.deepEqual(
    read.map(({ width, height, bitsPerPixel }) => [width, height, bitsPerPixel]),
    [
      [48, 48, 32],
      [32, 32, 32],
      [16, 16, 32],
    ],
  );
});

test('masks exactly the transparent pixels, for readers without alpha', () => {
  const side = 33;
  const image = makeSamples('noise', side, side, 4);
  for (let pixel = 0; pixel < side * side; pixel += 3) image.data[pixel * 4 + 3] = 0;
  const file = encodeIco([image], noPng);
  const maskAt = 22 + 40 + side * side * 4;
  const maskStride = 8;
  assert.equal(file.length, maskAt + maskStride * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const bit = (file[maskAt + (side - 1 - y) * maskStride + (x >> 3)]! >> (7 - (x & 7))) & 1;
      assert.equal(bit, image.data[(y * side + x) * 4 + 3] === 0 ? 1 : 0, `${x}, ${y}`);
    }
  }
});

test('stores 256 pixels as the given PNG', async () => {
  const image = makeSamples('runs', 256, 256, 4);
  const png = await sharp(image.data, { raw: { width: 256, height: 256, channels: 4 } })
    .png()
    .toBuffer();
  const file = encodeIco([image], (given) => {
    assert.equal(given, image);
    return png;
  });
  assert.deepEqual(Buffer.from(file.subarray(22)), png);
  assert.deepEqual([file[6], file[7]], [0, 0]);
  await withMagick(file, 'Ico', ([frame]) => assert.deepEqual(frame!.samples(4), image.data));
});

test('rejects a size that an icon cannot have', () => {
  for (const [width, height] of [
    [15, 15],
    [257, 257],
    [32, 48],
  ] as const) {
    assert.throws(() => encodeIco([makeSamples('flat', width, height, 4)], noPng), {
      code: 'unsupported_output',
      message: `Expected a square of 16 to 256 pixels with ico for format but received ${width} x ${height} pixels.`,
    });
  }
});
