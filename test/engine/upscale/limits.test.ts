/** Requests that upscale refuses, concurrent requests, and requests whose client disconnects. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cancelled } from '../../../engine/errors.ts';
import { blankPng } from '../../support/blank-png.ts';
import { ownBuffer, testModelEngine, testRestarts } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, pattern, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { upscale } from './support.ts';

describe('the limit of the plan', () => {
  it('is met by exactly as many pixels and exceeded by one more, in the displayed image', async () => {
    verifies('limits.upscale-input.free', 'limits.upscale-input.pro');
    const source = await sharpOf(pattern(40, 30)).withMetadata({ orientation: 6 }).png().toBuffer();
    const { width, height } = await upscale(source, { maxPixels: 1200 });
    assert.deepEqual([width, height], [60, 80]);
    const { message, param } = await failureOf('image_too_large', () => upscale(source, { maxPixels: 1199 }));
    assert.equal(message, 'Expected at most 1199 pixels for image but received 30 x 40 pixels.');
    assert.equal(param, 'image');
  });

  it('is 1 or 2.25 megapixels, read from the header: a truncated file is too large, not corrupt', async () => {
    verifies('limits.upscale-input.free', 'limits.upscale-input.pro');
    for (const [maxPixels, fits, tooLarge] of [
      [1_000_000, [1000, 1000], [1000, 1001]],
      [2_250_000, [1500, 1500], [2_250_001, 1]],
    ] as const) {
      const [width, height] = fits;
      if (isNightly || maxPixels === 1_000_000) {
        const result = await upscale(blankPng(width, height, height * (1 + 3 * width)), { maxPixels });
        assert.deepEqual([result.width, result.height], [2 * width, 2 * height]);
      }
      const header = blankPng(tooLarge[0], tooLarge[1], 0).subarray(0, 60);
      const { message } = await failureOf('image_too_large', () => upscale(header, { maxPixels }));
      assert.match(message, new RegExp(`at most ${maxPixels} pixels`));
    }
  });

  it('rejects lines whose result could not be read again', { skip: nightlyOnly }, async () => {
    const line = (width: number) => blankPng(width, 1, 1 + 3 * width);
    const { width, height } = await upscale(line(500_000));
    assert.deepEqual([width, height], [1_000_000, 2]);
    const { message } = await failureOf('image_too_large', () => upscale(line(500_001)));
    assert.equal(message, 'Expected at most 500000 pixels on a side for image but received 500001 x 1 pixels.');
  });
});

describe('concurrent requests', () => {
  it('do not mix', async () => {
    const sources = await Promise.all([32, 33, 34].map((width) => png(pattern(width, 20))));
    const alone = [];
    for (const source of sources) alone.push((await upscale(source)).bytes);
    const together = await Promise.all(sources.map((source) => upscale(source)));
    assert.deepEqual(
      together.map(({ bytes }) => bytes),
      alone,
    );
  });

  it('whose client disconnects are stopped, and the next one is processed', async () => {
    const pool = await testModelEngine();
    const restarts = testRestarts();
    const input = async (width: number, height: number) => ({
      image: { data: ownBuffer(await png(pattern(width, height))) },
      params: { scale: '2' as const, format: 'png' as const, page: 1 },
      maxPixels: 2_250_000,
    });
    const client = new AbortController();
    const gone = pool.run('upscale', await input(600, 600), { signal: client.signal, onStart: () => client.abort() });
    await assert.rejects(gone, Cancelled);
    const { data, width, height } = await pool.run('upscale', await input(30, 20));
    assert.deepEqual([width, height, testRestarts()], [60, 40, [...restarts, 'cancel']]);
    const reference = await sharpOf(pattern(30, 20)).resize(60, 40, { kernel: 'cubic' }).png().toBuffer();
    const { mean } = difference(await decode(new Uint8Array(data)), await decode(reference));
    assert.ok(mean < 4, `mean difference ${mean}`);
  });
});
