/** Regressions: past defects, each with the request that showed it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../base/failure.ts';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, flat, jpeg, pattern, pixel, png, type RawImage, sharpOf } from '../../support/test-images.ts';

const LOSSLESS = { format: 'png', mode: 'lossless' } as const;
const mean = ({ data }: RawImage) => data.reduce((sum, value) => sum + value, 0) / data.length;

test('blur of any strength keeps the brightness: libvips returns black for some small sigmas', {
  skip: nightlyOnly,
}, async () => {
  for (const channels of [3, 4] as const) {
    const source = await png(pattern(300, 200, channels));
    const before = mean(await decode(source));
    for (const blur of [1, 2, 3, 4, 5, 6, 8, 10, 20, 50]) {
      const after = mean(await decode((await compress(source, { ...LOSSLESS, blur })).bytes));
      assert.ok(Math.abs(after - before) < 3, `blur ${blur}, ${channels} channels: ${before} became ${after}`);
    }
  }
});

test('adjustments change the image, not the colour of its padding or of its corners', async () => {
  const source = await png(flat(40, 20, 90, 90, 90));
  for (const options of [{ width: 80, height: 80, fit: 'contain' }, { rotate: 45 }] as const) {
    const { bytes } = await compress(source, {
      ...options,
      format: 'jpeg',
      quality: 100,
      background: '#ff0000',
      grayscale: true,
      brightness: -50,
    });
    const [r, g, b] = pixel(await decode(bytes), 1, 1) as [number, number, number];
    assert.ok(r > 245 && g < 12 && b < 12, `${JSON.stringify(options)}: ${r} ${g} ${b}`);
  }
});

test('a profile is judged by its effect, not by its name', async () => {
  const p3 = await sharpOf(pattern(60, 40)).withIccProfile('p3').jpeg({ quality: 90 }).toBuffer();
  // Profiles of other spaces may also name sRGB ("Display P3 Gamut with sRGB Transfer"). Here the creator field (byte
  // 80) does.
  const named = Buffer.from(p3);
  named.write('sRGB', named.indexOf('acsp', 0, 'latin1') - 36 + 80, 'latin1');
  const { warnings, outcome } = await compress(named, { quality: 100 });
  assert.deepEqual(warnings, ['color_converted']);
  assert.notEqual(outcome, 'kept_original');
});

test('an image with an sRGB profile is not reported as converted, and loses the profile losslessly', async () => {
  const tagged = await sharpOf(pattern(60, 40)).withIccProfile('srgb').jpeg({ quality: 60 }).toBuffer();
  const { warnings, outcome, bytes } = await compress(tagged, { quality: 100 });
  assert.deepEqual([warnings, outcome], [[], 'kept_original']);
  assert.equal((await sharp(bytes).metadata()).icc, undefined);
});

test('a PDF can be scored and compressed in mode smart', async () => {
  const source = await jpeg(pattern(200, 150), 95);
  const scored = await compress(source, { format: 'pdf', score: true });
  assert.ok((scored.similarity as number) > 0.9 && (scored.similarity as number) < 1);
  assert.ok(((await compress(source, { format: 'pdf', mode: 'smart' })).explain?.length ?? 0) > 0);
});

test('smart checks more than the first frame', async () => {
  const blank = flat(80, 60, 10, 10, 10).data;
  const column = sharp(Buffer.concat([blank, pattern(80, 60).data]), {
    raw: { width: 80, height: 120, channels: 3, pageHeight: 60 },
  });
  const source = await column.webp({ lossless: true, delay: [100, 100] }).toBuffer();
  const { similarity } = await compress(source, { quality: 5, score: true, flip: 'h' });
  assert.ok((similarity as number) < 0.9999, `${similarity}`);
});

test('an error about an unreadable logo names its own parameter', async () => {
  const source = await png(flat(20, 20, 1, 2, 3));
  for (const logo of [Buffer.from('no image'), (await png(pattern(40, 30))).subarray(0, 60)]) {
    await assert.rejects(
      compress(source, {}, logo),
      (error) => error instanceof Failure && error.param === 'watermark_image' && !error.message.includes('for image'),
    );
  }
});
