/** Bad input: each file fails quickly with a clear error of its own, and does not affect the next task. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../base/failure.ts';
import { blankPng } from '../../support/blank-png.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, jpeg, pattern, png, sharpOf } from '../../support/test-images.ts';

const failsWith = (code: string, param?: string) => (error: unknown) =>
  error instanceof Failure && error.code === code && (param === undefined || error.param === param);

test('a decompression bomb is rejected from its header', async () => {
  await assert.rejects(compress(blankPng(30_000, 30_000, 1000)), failsWith('image_too_large', 'image'));
});

test('an image that is decoded row by row may exceed the memory limit if the request allows streaming', {
  skip: nightlyOnly,
}, async () => {
  // 144 megapixels: 432 MB decoded.
  const large = blankPng(12_000, 12_000, 12_000 * (12_000 * 3 + 1));
  const small = await compress(large, { width: 100, format: 'png', mode: 'lossless' });
  assert.deepEqual([small.width, small.height], [100, 100]);
});

test('a result above the maximum image size is rejected', async () => {
  const source = await png(flat(10, 10, 1, 2, 3));
  await assert.rejects(
    compress(source, { width: 100_000, height: 100_000, fit: 'exact', enlarge: true }),
    failsWith('image_too_large'),
  );
  await assert.rejects(
    compress(source, { width: 20_000, enlarge: true, fit: 'exact', height: 100, format: 'webp' }),
    failsWith('unsupported_output', 'format'),
  );
});

test('an image that is too long is rejected, however narrow', async () => {
  for (const size of ['1 1000001', '1000001 1']) {
    await assert.rejects(compress(Buffer.from(`P5\n${size}\n255\n\0`)), failsWith('image_too_large', 'image'));
  }
});

test('rejects bytes of an unknown format, of a format that is only recognised, and an empty body', async () => {
  for (const bytes of [
    Buffer.from('x'),
    Buffer.from('hello, world'),
    Buffer.from('<!doctype html><svg xmlns="http://www.w3.org/2000/svg"/>'),
  ]) {
    await assert.rejects(compress(bytes), failsWith('unsupported_format', 'image'));
  }
  await assert.rejects(
    compress(Buffer.from('PK\x03\x04')),
    (error) => failsWith('unsupported_format')(error) && /ZIP/.test((error as Failure).message),
  );
});

test('a header without image data is corrupt', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'tiff'] as const) {
    const file = await sharpOf(pattern(60, 40)).toFormat(format).toBuffer();
    await assert.rejects(
      compress(file.subarray(0, 40), { format: 'png' }),
      (error) => error instanceof Failure && ['corrupt_image', 'unsupported_format'].includes(error.code),
      format,
    );
  }
});

test('a truncated file is used as far as it can be read, with a warning', async () => {
  const whole = await jpeg(pattern(200, 160));
  const { warnings, bytes, width } = await compress(whole.subarray(0, whole.length / 2), {
    format: 'png',
    mode: 'lossless',
  });
  assert.deepEqual([warnings, width], [['truncated_source'], 200]);
  const top = (file: Buffer) => sharp(file).extract({ left: 0, top: 0, width: 200, height: 40 }).png().toBuffer();
  assert.ok(
    difference(await decode(await top(bytes)), await decode(await top(whole))).max <= 2,
    'the upper part is right',
  );
  assert.deepEqual((await compress(whole)).warnings, []);
});

test('a page after the last one is rejected with the number of pages', async () => {
  for (const [file, page] of [
    [await png(flat(4, 4, 1, 2, 3)), 2],
    [
      await sharpOf(flat(4, 4, 1, 2, 3))
        .tiff()
        .toBuffer(),
      2,
    ],
  ] as const) {
    await assert.rejects(compress(file, { page }), failsWith('page_out_of_range', 'page'));
  }
});

describe('malformed samples', { skip: corpusSkipReason }, () => {
  for (const path of corpusFiles('hostile-samples')) {
    test(path, async () => {
      const bytes = corpus(path);
      assert.ok(bytes);
      try {
        const { width, height } = await compress(bytes, { format: 'png', width: 64 });
        assert.ok(width >= 1 && height >= 1);
      } catch (error) {
        assert.ok(error instanceof Failure && error.status >= 400 && error.status < 500, String(error));
      }
    });
  }
});

test('damaged files never crash the worker', { skip: nightlyOnly }, async () => {
  const files = [];
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)
    files.push(await sharpOf(pattern(64, 48)).toFormat(format).toBuffer());
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 60; round += 1) {
    const damaged = Buffer.from(files[round % files.length] as Buffer);
    for (let hit = 0; hit < 1 + random(8); hit += 1) damaged[16 + random(damaged.length - 16)] = random(256);
    const outcome = await compress(damaged, { format: 'jpeg', width: 32 }).catch((error: unknown) => error);
    if (outcome instanceof Error) assert.ok(outcome instanceof Failure && outcome.status < 500, String(outcome));
  }
});
