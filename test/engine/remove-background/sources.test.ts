/** Sources of remove-background: every kind of image, damaged files, and images of extreme shapes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, flat, jpeg, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { cut, discImage } from './support.ts';

describe('sources', () => {
  it('may be grey, 16-bit, CMYK or rotated, and give sRGB with alpha', { skip: nightlyOnly }, async () => {
    const { photo, mask } = discImage({ width: 120, height: 80, subject: [200, 200, 200], background: [40, 40, 40] });
    const parts = { mask: await png(mask) };
    const source = sharp(await png(photo));
    const sources: Record<string, Buffer> = {
      grey: await source.clone().greyscale().png().toBuffer(),
      deep: await source.clone().toColourspace('rgb16').png().toBuffer(),
      cmyk: await source.clone().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
      turned: await source.clone().rotate(90).withMetadata({ orientation: 8 }).png().toBuffer(),
      animated: await source.clone().gif().toBuffer(),
    };
    for (const [name, bytes] of Object.entries(sources)) {
      const result = await decode((await cut(bytes, { feather: 0 }, parts)).bytes);
      assert.deepEqual([result.width, result.height, result.channels], [120, 80, 4], name);
      const [red = 0, green = 0, blue = 0, alpha] = pixel(result, 60, 40);
      assert.equal(alpha, 255, name);
      for (const sample of [red, green, blue]) assert.ok(Math.abs(sample - 200) < 20, `${name}: ${sample}`);
      assert.equal(pixel(result, 2, 2)[3], 0, name);
    }
  });

  it('keep their transparency', async () => {
    const image = await png(pattern(100, 60, 4));
    const { bytes } = await cut(image, { feather: 0 }, { mask: await png(flat(100, 60, 255, 255, 255)) });
    const result = await decode(bytes);
    assert.equal(pixel(result, 10, 30)[3], 255);
    assert.ok(Math.abs(pixel(result, 80, 30)[3]! - 127) <= 1);
  });

  it('may be one pixel or one row', async () => {
    for (const [width, height] of [
      [1, 1],
      [20_000, 1],
    ] as const) {
      const parts = { mask: await png(flat(width, height, 255, 255, 255)) };
      for (const options of [{}, { refine: true, background: 'blur' }, { frame: '30x20' }]) {
        const result = await cut(await png(flat(width, height, 9, 8, 7)), options, parts);
        const frame = 'frame' in options;
        assert.deepEqual([result.width, result.height], frame ? [30, 20] : [width, height]);
      }
    }
  });

  it('are read as far as they go, and rejected when nothing can be read', async () => {
    const whole = await sharpOf(pattern(300, 200)).jpeg().toBuffer();
    const parts = { mask: await png(flat(300, 200, 255, 255, 255)) };
    const { warnings } = await cut(whole.subarray(0, whole.length - 2000), {}, parts);
    assert.deepEqual(warnings, ['truncated_source']);
    await failureOf('unsupported_format', () => cut(Buffer.from('no image'), {}, parts));
    await failureOf('corrupt_image', async () => cut((await jpeg(pattern(300, 200))).subarray(0, 200), {}, parts));
  });
});
