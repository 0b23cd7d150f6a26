import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { encodeBmp } from '../../codecs/bmp.ts';
import { encodeIco } from '../../codecs/ico.ts';
import { decodeWithMagick, probeWithMagick } from '../../codecs/magick.ts';
import { corpus, noCorpus } from '../support/corpus.ts';
import { makeSamples } from '../support/samples.ts';

test('a bitmap with its resolution', async () => {
  const picture = makeSamples('noise', 61, 34, 3);
  const file = encodeBmp({ ...picture, density: { x: 300, y: 150 } });
  assert.deepEqual(await probeWithMagick(file, 'bmp'), { width: 61, height: 34, pages: 1 });
  const { density, ...decoded } = await decodeWithMagick(file, 'bmp', 1);
  assert.deepEqual(decoded, { ...picture, pages: 1 });
  assert.deepEqual([Math.round(density!.x), Math.round(density!.y)], [300, 150]);
});

test('the images of an icon, the largest first', async () => {
  const images = [16, 48, 32].map((side) => makeSamples('noise', side, side, 4));
  const files = images.map((image) => encodeIco(image, () => assert.fail()));
  // Three icons of one image become one icon of three.
  const directory = Buffer.alloc(6 + 3 * 16);
  directory.set([0, 0, 1, 0, 3, 0]);
  let at = directory.length;
  for (const [index, file] of files.entries()) {
    directory.set(file.subarray(6, 22), 6 + index * 16);
    directory.writeUInt32LE(at, 6 + index * 16 + 12);
    at += file.length - 22;
  }
  const icon = Buffer.concat([directory, ...files.map((file) => file.subarray(22))]);
  for (const [page, image] of [images[1]!, images[2]!, images[0]!].entries()) {
    assert.equal((await probeWithMagick(icon, 'ico', page + 1)).width, image.width);
    const decoded = await decodeWithMagick(icon, 'ico', page + 1);
    assert.deepEqual([decoded.pages, decoded.channels, decoded.data], [3, 4, image.data]);
  }
  await assert.rejects(decodeWithMagick(icon, 'ico', 4), { code: 'page_out_of_range' });
});

test('the coder is the one we name, whatever the bytes look like', async () => {
  const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  for (const bytes of [
    png,
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('push graphic-context'),
  ]) {
    await assert.rejects(probeWithMagick(bytes, 'bmp'), { code: 'corrupt_image' });
    await assert.rejects(decodeWithMagick(bytes, 'ico', 1), { code: 'corrupt_image' });
  }
});

test('a file that is cut short is corrupt, and the next one is read all the same', async () => {
  const file = encodeBmp(makeSamples('noise', 61, 34, 3));
  await assert.rejects(decodeWithMagick(file.subarray(0, 2000), 'bmp', 1), {
    code: 'corrupt_image',
    message: 'Expected a readable BMP file for image but received one that cannot be decoded.',
  });
  assert.equal((await decodeWithMagick(file, 'bmp', 1)).width, 61);
});

test('pictures are freed: together these would not fit the memory that ImageMagick may use', async () => {
  const side = 4_000;
  const file = encodeBmp({ data: new Uint8Array(side * side), width: side, height: side, channels: 1 });
  for (let turn = 0; turn < 9; turn++) {
    assert.equal((await decodeWithMagick(file, 'bmp', 1)).data.length, side * side * 3);
  }
});

test('bombs are refused', { skip: noCorpus }, async () => {
  for (const [path, format] of [
    ['pillow--decompression_bomb.ico', 'ico'],
    ['pillow--reallybig.bmp', 'bmp'],
    ['pillow--badwidth.bmp', 'bmp'],
    ['pillow--shortfile.bmp', 'bmp'],
  ] as const) {
    const bytes = corpus(`hostile-samples/${path}`)!;
    await assert.rejects(probeWithMagick(bytes, format), { code: 'corrupt_image' }, path);
    await assert.rejects(decodeWithMagick(bytes, format, 1), { code: 'corrupt_image' }, path);
  }
});
