/** JPEG XL with floating-point samples, which are coded as the profile says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { corpus, corpusSkipReason } from '../../../support/corpus.ts';
import { compress, inspect } from '../../../support/engine.ts';
import { decode, pixel } from '../../../support/test-images.ts';

const EXPECTED: [x: number, y: number, samples: number[]][] = [
  [70, 215, [247, 245, 75]],
  [130, 215, [233, 68, 64]],
  [220, 60, [124, 133, 70]],
  [90, 180, [67, 44, 174]],
];

describe('floating-point samples of JPEG XL', { skip: corpusSkipReason }, () => {
  const file = () => corpus('jxl/kimageformats--testcard_rgb_fp16.jxl')!;

  it('with an sRGB profile are not taken for linear light', async () => {
    const shown = await decode((await compress(file(), { format: 'png', mode: 'lossless' })).bytes);
    // As djxl 0.7.0 decodes them, rounded to 8 bits.
    for (const [x, y, expected] of EXPECTED) {
      const found = pixel(shown, x, y);
      assert.ok(
        expected.every((sample, band) => Math.abs(sample - found[band]!) <= 1),
        `${found}`,
      );
    }
  });

  it('give results of 16 bits', async () => {
    assert.equal((await inspect(file())).color.bit_depth, 16);
    const { bytes, warnings } = await compress(file(), { format: 'tiff', mode: 'lossless' });
    assert.deepEqual([(await sharp(bytes).metadata()).depth, warnings], ['ushort', []]);
  });
});
