import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { manyScansJpeg } from '../../bench/bombs/jpeg.ts';
import { countJpegScans, estimateJpegScans } from '../../codecs/jpeg-scans.ts';
import { compress, inspect } from '../support/engine.ts';

const ordinary = (progressive: boolean) =>
  sharp({ create: { width: 200, height: 100, channels: 3, background: 'teal' } })
    .jpeg({ progressive, optimiseScans: progressive })
    .toBuffer();

describe('the scans of a progressive JPEG', () => {
  it('are counted by their markers, up to a bound', async () => {
    assert.equal(countJpegScans(manyScansJpeg(7, 64, 64), 100), 7);
    assert.equal(countJpegScans(manyScansJpeg(50, 64, 64), 10), 11);
    assert.equal(countJpegScans(await ordinary(false), 100), 1);
    const usual = countJpegScans(await ordinary(true), 100);
    assert.ok(usual > 1 && usual < 15, `${usual}`);
  });

  it('are counted up to where a file ends early, and where there is none', () => {
    const whole = manyScansJpeg(20, 64, 64);
    const half = countJpegScans(whole.subarray(0, whole.length / 2), 100);
    assert.ok(half > 1 && half < 20, `${half}`);
    assert.equal(countJpegScans(whole.subarray(0, 20), 100), 1);
    assert.equal(countJpegScans(new Uint8Array(0), 100), 1);
  });

  it('are estimated from the beginning of a large file', () => {
    const many = manyScansJpeg(20_000, 640, 640);
    assert.ok(many.length > 200_000);
    const estimated = estimateJpegScans(many);
    assert.ok(estimated > 1000 && estimated < 20_000, `${estimated}`);
  });

  it('are at most 100: one more is refused before any is decoded', async () => {
    assert.equal((await compress(manyScansJpeg(100, 64, 64))).width, 64);
    assert.equal((await inspect(manyScansJpeg(100, 64, 64))).width, 64);
    const refused = {
      code: 'image_too_large',
      message: 'Expected at most 100 scans for image but received a progressive JPEG of more.',
    };
    await assert.rejects(compress(manyScansJpeg(101, 64, 64)), refused);
    await assert.rejects(inspect(manyScansJpeg(5000, 64, 64)), refused);
  });
});
