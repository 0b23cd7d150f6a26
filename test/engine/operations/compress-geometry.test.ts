/** Geometry against sharp: the same sizes to the pixel, the same pixels where nothing is resampled. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import type { Failure } from '../../../base/failure.ts';
import type { CompressParams } from '../../../engine/operations/compress/params.ts';
import { type CompressOptions, compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { isSelected } from '../../support/thorough.ts';
import { verifies } from '../../support/verifies.ts';

const WIDTH = 120;
const HEIGHT = 80;

/** Returns a PNG with this EXIF orientation. */
async function oriented(orientation: number): Promise<Buffer> {
  return sharpOf(pattern(WIDTH, HEIGHT)).withMetadata({ orientation }).png().toBuffer();
}

/** Runs the same request with sharp, one stage after the other in the order of the interface. */
async function reference(source: Buffer, params: Partial<CompressParams>): Promise<Buffer> {
  const stage = async (input: Buffer, change: (image: Sharp) => Sharp) => change(sharp(input)).png().toBuffer();
  let image = await stage(source, (input) => input.autoOrient());
  if (params.crop) {
    const [left = 0, top = 0, width = 1, height = 1] = params.crop.split(',').map(Number);
    image = await stage(image, (input) => input.extract({ left, top, width, height }));
  }
  if (params.flip?.includes('h')) image = await stage(image, (input) => input.flop());
  if (params.flip?.includes('v')) image = await stage(image, (input) => input.flip());
  if (params.rotate) image = await stage(image, (input) => input.rotate(params.rotate, { background: '#00000000' }));
  if (params.width !== undefined || params.height !== undefined) {
    const fit = { inside: 'inside', exact: 'fill', cover: 'cover', contain: 'contain' } as const;
    image = await stage(image, (input) =>
      input.resize({
        ...(params.width === undefined ? {} : { width: params.width }),
        ...(params.height === undefined ? {} : { height: params.height }),
        fit: fit[params.fit ?? 'inside'],
        withoutEnlargement: !params.enlarge,
        background: '#00000000',
      }),
    );
  }
  return image;
}

const EXACT: Partial<CompressParams>[] = [
  {},
  { crop: '10,5,50,40' },
  { flip: 'h' },
  { flip: 'v' },
  { flip: 'hv', crop: '0,0,61,37' },
  { rotate: 90 },
  { rotate: 180, flip: 'h' },
  { rotate: -90 },
  { crop: '3,7,40,31', flip: 'v', rotate: 270 },
];

const RESAMPLED: Partial<CompressParams>[] = [
  { width: 60 },
  { height: 33 },
  { width: 50, height: 50 },
  { width: 50, height: 50, fit: 'cover' },
  { width: 50, height: 50, fit: 'exact' },
  { width: 50, height: 20, fit: 'contain' },
  { width: 300, enlarge: true },
  { width: 200, height: 200, fit: 'cover', enlarge: true },
  { width: 47, rotate: 90 },
  { width: 31, height: 17, fit: 'cover', flip: 'h' },
  { crop: '8,8,64,64', width: 21 },
];

describe('geometry agrees with sharp', () => {
  verifies('compress.orient', 'compress.flip.h', 'compress.flip.v', 'compress.flip.hv', 'compress.rotate.clockwise');
  verifies('compress.crop.before-flip-and-rotate', 'compress.flip.before-rotate', 'compress.rotate.quarter-turn-exact');
  verifies('compress.width', 'compress.height', 'compress.fit.inside', 'compress.fit.exact', 'compress.fit.cover');
  verifies('compress.fit.contain');

  let index = 0;
  for (const params of [...EXACT, ...RESAMPLED]) {
    // Two orientations each, so that every kind of request is combined with all eight.
    for (const orientation of [(index % 8) + 1, ((index + 3) % 8) + 1]) {
      test(`orientation ${orientation} ${JSON.stringify(params)}`, async () => {
        const source = await oriented(orientation);
        const result = await compress(source, { ...params, format: 'png', mode: 'lossless' });
        const [ours, theirs] = [await decode(result.bytes), await decode(await reference(source, params))];
        assert.deepEqual([ours.width, ours.height], [theirs.width, theirs.height]);
        assert.deepEqual([result.width, result.height], [theirs.width, theirs.height], 'and the result says so');
        const { max, mean } = difference(ours, theirs);
        if (EXACT.includes(params)) assert.equal(max, 0);
        else assert.ok(max <= 2 && mean < 0.1, `max ${max}, mean ${mean}`);
        const { orientation: left } = await sharp(result.bytes).metadata();
        assert.ok(left === undefined || left === 1, 'the orientation was applied and cleared');
      });
    }
    index += 1;
  }

  test('a JPEG is turned losslessly on its coefficients, and does not grow', async () => {
    const aligned = { crop: '16,32,48,16' };
    const requests = [...EXACT.filter(({ crop }) => crop === undefined), aligned, { ...aligned, rotate: 90 }];
    for (const [index, params] of requests.entries())
      for (let orientation = 1; orientation <= 8; orientation++) {
        if (!isSelected(index, orientation, 4)) continue;
        const name = `orientation ${orientation} ${JSON.stringify(params)}`;
        const source = await sharpOf(pattern(128, 80)).withMetadata({ orientation }).jpeg({ quality: 70 }).toBuffer();
        const { bytes } = await compress(source, { ...params, quality: 95 });
        assert.ok(bytes.length <= source.length, `${name}: ${bytes.length} of ${source.length}`);
        const [ours, theirs] = [await decode(bytes), await decode(await reference(source, params))];
        assert.deepEqual([ours.width, ours.height], [theirs.width, theirs.height], name);
        // Decoders round chroma along rows differently than along columns. At the edge of a crop, they lack the
        // neighbours.
        const allowed = params.crop === undefined ? 0.3 : 1;
        assert.ok(difference(ours, theirs).mean < allowed, `${name}: ${difference(ours, theirs).mean}`);
        const { orientation: left } = await sharp(bytes).metadata();
        assert.ok(left === undefined || left === 1, name);
      }
  });

  test('a JPEG with incomplete edge blocks is turned on its pixels', async () => {
    const source = await sharpOf(pattern(121, 83)).withMetadata({ orientation: 3 }).jpeg({ quality: 90 }).toBuffer();
    const { bytes } = await compress(source, { quality: 90 });
    const [ours, theirs] = [await decode(bytes), await decode(await reference(source, {}))];
    assert.deepEqual([ours.width, ours.height], [121, 83]);
    assert.ok(difference(ours, theirs).mean < 4, `${difference(ours, theirs).mean}`);
  });

  test('a JPEG is resized while it is decoded, whatever its orientation and the other parameters', {
    skip: nightlyOnly,
  }, async () => {
    const image = sharpOf(pattern(366, 248)).blur(3);
    for (const params of RESAMPLED)
      for (const orientation of [1, 3, 5, 6]) {
        const name = `orientation ${orientation} ${JSON.stringify(params)}`;
        const source = await image.clone().withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
        const result = await compress(source, { ...params, background: '#000000', quality: 98 });
        const expected = sharp(await reference(source, params)).flatten({ background: '#000000' });
        const [ours, theirs] = [await decode(result.bytes), await decode(await expected.png().toBuffer())];
        assert.deepEqual([ours.width, ours.height], [theirs.width, theirs.height], name);
        assert.deepEqual([result.width, result.height], [theirs.width, theirs.height], name);
        const { mean } = difference(ours, theirs);
        // libvips first reduces by whole factors, which gives a difference of up to 10.
        assert.ok(mean < 4, `${name}: ${mean}`);
      }
  });

  test('a JPEG is cropped on its pixels when the crop is not on block borders', async () => {
    const source = await sharpOf(pattern(128, 80)).jpeg({ quality: 90 }).toBuffer();
    const params = { crop: '5,9,61,40', flip: 'h' } as const;
    const { bytes } = await compress(source, { ...params, quality: 95 });
    const [ours, theirs] = [await decode(bytes), await decode(await reference(source, params))];
    assert.deepEqual([ours.width, ours.height], [61, 40]);
    assert.ok(difference(ours, theirs).mean < 3, `${difference(ours, theirs).mean}`);
  });

  test('an angle that is not a multiple of 90 enlarges the canvas like sharp, with transparent corners', async () => {
    verifies('compress.rotate.grows', 'compress.rotate.corners-transparent');
    const source = await png(pattern(WIDTH, HEIGHT));
    for (const rotate of [1, 30, 45, -17, 200]) {
      const ours = await decode((await compress(source, { rotate, format: 'png', mode: 'lossless' })).bytes);
      const theirs = await decode(await reference(source, { rotate }));
      assert.deepEqual([ours.width, ours.height, ours.channels], [theirs.width, theirs.height, 4]);
      assert.equal(ours.data[3], 0, 'the corner is clear');
      assert.ok(difference(ours, theirs).mean < 4);
    }
  });

  test('its corners have the background colour in a format without transparency', async () => {
    verifies('compress.rotate.corners-background', 'compress.background.bmp');
    const source = await png(pattern(WIDTH, HEIGHT));
    const jpeg = await decode(
      (await compress(source, { rotate: 30, format: 'jpeg', quality: 100, background: '#00ff00' })).bytes,
    );
    const [r, g, b] = pixel(jpeg, 0, 0) as [number, number, number];
    assert.ok(r < 8 && g > 247 && b < 8, `${r} ${g} ${b}`);
    const bmp = await compress(source, { rotate: 30, format: 'bmp', background: '#00ff00' });
    const back = await decode((await compress(bmp.bytes, { format: 'png', mode: 'lossless' })).bytes);
    assert.deepEqual(pixel(back, 0, 0).slice(0, 3), [0, 255, 0]);
  });

  test('sides never grow without enlarge', async () => {
    verifies('compress.enlarge', 'compress.enlarge.default', 'compress.percent', 'compress.percent.only-alone');
    const source = await png(pattern(WIDTH, HEIGHT));
    for (const fit of ['inside', 'exact', 'cover'] as const) {
      const { width, height } = await compress(source, { width: 500, height: 400, fit });
      assert.deepEqual([fit, width, height], [fit, WIDTH, HEIGHT]);
    }
    const contained = await compress(source, {
      width: 500,
      height: 400,
      fit: 'contain',
      format: 'png',
      mode: 'lossless',
    });
    assert.deepEqual([contained.width, contained.height], [500, 400], 'the canvas does, the image does not');
    assert.equal((await compress(source, { percent: 50 })).width, WIDTH / 2);
    assert.equal((await compress(source, { percent: 50, width: 30 })).width, 30, 'a side wins over percent');
    assert.equal((await compress(source, { percent: 300 })).width, WIDTH);
    assert.equal((await compress(source, { percent: 300, enlarge: true })).width, 3 * WIDTH);
  });

  test('a print with fit=contain fills its size, at a lower resolution where pixels are missing', async () => {
    const source = await png(pattern(600, 300));
    const print = { print_width: 100, print_height: 100, fit: 'contain' } as const;
    const { width, height, warnings, bytes } = await compress(source, print);
    assert.deepEqual([width, height, warnings], [600, 600, ['print_resolution_low']]);
    const { density } = await sharp(bytes).metadata();
    assert.equal(density, 152, '600 pixels on 100 mm');
    const enlarged = await compress(source, { ...print, enlarge: true });
    assert.deepEqual([enlarged.width, enlarged.height, enlarged.warnings], [1181, 1181, []]);
  });

  test('dpr multiplies sizes in pixels, up to the pixels of the source', async () => {
    verifies('compress.dpr');
    const source = await png(pattern(WIDTH, HEIGHT));
    const sizeOf = async (params: CompressOptions) => {
      const { width, height } = await compress(source, params);
      return [width, height];
    };
    assert.deepEqual(await sizeOf({ width: 30, dpr: 2 }), [60, 40]);
    assert.deepEqual(await sizeOf({ width: 30, dpr: 1.5 }), [45, 30]);
    assert.deepEqual(await sizeOf({ max_height: 20, dpr: 3 }), [90, 60]);
    assert.deepEqual(await sizeOf({ width: 30, height: 30, fit: 'contain', dpr: 2 }), [60, 60]);
    assert.deepEqual(await sizeOf({ width: 100, dpr: 8 }), [WIDTH, HEIGHT]);
    assert.deepEqual(await sizeOf({ percent: 50, dpr: 2 }), [60, 40], 'a percentage is not a size in pixels');
    assert.deepEqual(await sizeOf({ dpr: 2 }), [WIDTH, HEIGHT]);
  });

  test('focus keeps a place in a cut to a ratio and in fit=cover', async () => {
    verifies('compress.focus.place');
    const source = await png(pattern(WIDTH, HEIGHT));
    const whole = pattern(WIDTH, HEIGHT);
    const column = async (params: CompressOptions, y = 0) => {
      const cut = await decode((await compress(source, { ...params, format: 'png', mode: 'lossless' })).bytes);
      const at = Array.from({ length: WIDTH - cut.width + 1 }, (_, x) => x);
      const matches = (x: number) =>
        [0, 1, cut.width - 1].every((right) => `${pixel(whole, x + right, y)}` === `${pixel(cut, right, 0)}`);
      return { width: cut.width, left: at.filter(matches) };
    };
    for (const cut of [{ crop_ratio: '1:1' }, { width: 80, height: 80, fit: 'cover' }] as const) {
      assert.deepEqual(await column({ ...cut, focus: '0,0.5' }), { width: 80, left: [0] });
      assert.deepEqual(await column({ ...cut, focus: '0.4,0.5' }), { width: 80, left: [8] });
      assert.deepEqual(await column({ ...cut, focus: '1,1' }), { width: 80, left: [40] });
      assert.deepEqual(await column(cut), { width: 80, left: [20] });
    }
    const inBox = { crop: '20,10,100,50', crop_ratio: '1:1', focus: '0.5,0.5' } as const;
    assert.deepEqual(await column(inBox, 10), { width: 50, left: [35] }, 'a place of the whole image');
  });

  test('focus with another way to place the cut is refused', async () => {
    await assert.rejects(
      compress(await png(pattern(WIDTH, HEIGHT)), { crop_ratio: '1:1', crop_gravity: 'attention', focus: '0,0' }),
      (error: Failure) => error.code === 'conflicting_parameters' && error.param === 'focus',
    );
  });

  test('max_width and max_height limit the result of the other parameters', async () => {
    verifies('compress.max-size', 'compress.max-size.never-enlarges');
    const source = await png(pattern(WIDTH, HEIGHT));
    const sizes = [];
    for (const params of [{ max_width: 60 }, { max_height: 20 }, { max_width: 5000 }, { width: 100, max_width: 30 }]) {
      const { width, height } = await compress(source, params);
      sizes.push([width, height]);
    }
    assert.deepEqual(sizes, [
      [60, 40],
      [30, 20],
      [120, 80],
      [30, 20],
    ]);
  });

  test('print sizes convert millimetres to pixels, with a warning when there are too few', async () => {
    verifies(
      'compress.print-size',
      'compress.print-size.too-small',
      'compress.print-size.too-small-warns',
      'compress.dpi.default',
    );
    const source = await png(pattern(WIDTH, HEIGHT));
    const small = await compress(source, { print_width: 10, dpi: 200, format: 'jpeg' });
    assert.deepEqual([small.width, small.dpi, small.warnings], [79, 200, []]);
    const large = await compress(source, { print_width: 50.8, format: 'jpeg' });
    assert.deepEqual([large.width, large.dpi, large.warnings], [WIDTH, 60, ['print_resolution_low']]);
    const grown = await compress(source, { print_width: 50.8, format: 'jpeg', enlarge: true });
    assert.deepEqual([grown.width, grown.dpi, grown.warnings], [600, 300, []]);
  });
});
