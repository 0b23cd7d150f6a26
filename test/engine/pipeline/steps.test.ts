/** Every step that changes pixels, compared with its own operation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { blurFacesParams } from '../../../engine/operations/blur-faces/params.ts';
import type { CompressParams } from '../../../engine/operations/compress/params.ts';
import { compress, ownBuffer, testEngine } from '../../support/engine.ts';
import { decode, difference, flat, jpeg, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { idPhoto } from '../id-photo/support.ts';
import { pipeline, type RawStep, reasons } from './support.ts';

const PNG: RawStep = { op: 'convert', params: { format: 'png', quality: 100 } };
const photo = () => png(pattern(240, 160));
const transparentImage = () => png(pattern(90, 70, 4));

/** One step, and the equivalent request to compress. */
const SINGLE: readonly [string, RawStep, Partial<CompressParams>][] = [
  ['crop', { op: 'crop', params: { crop: '10,20,70,50' } }, { crop: '10,20,70,50' }],
  ['crop_ratio', { op: 'crop', params: { crop_ratio: '1:1' } }, { crop_ratio: '1:1' }],
  [
    'attention',
    { op: 'crop', params: { crop_ratio: '1:2', crop_gravity: 'attention' } },
    { crop_ratio: '1:2', crop_gravity: 'attention' },
  ],
  ['crop_shape', { op: 'crop', params: { crop_shape: 'circle' } }, { crop_shape: 'circle' }],
  ['flip', { op: 'flip', params: { flip: 'h' } }, { flip: 'h' }],
  ['rotate', { op: 'rotate', params: { rotate: 90 } }, { rotate: 90 }],
  ['rotate by an odd angle', { op: 'rotate', params: { rotate: 33 } }, { rotate: 33 }],
  ['resize', { op: 'resize', params: { width: 77 } }, { width: 77 }],
  ['resize by percent', { op: 'resize', params: { percent: 37 } }, { percent: 37 }],
  [
    'contain',
    { op: 'resize', params: { width: 100, height: 100, fit: 'contain' } },
    { width: 100, height: 100, fit: 'contain' },
  ],
  ['cover', { op: 'resize', params: { width: 60, height: 60, fit: 'cover' } }, { width: 60, height: 60, fit: 'cover' }],
  ['max_width', { op: 'resize', params: { max_width: 50 } }, { max_width: 50 }],
  ['enlarge', { op: 'resize', params: { width: 300, enlarge: true } }, { width: 300, enlarge: true }],
  ['print size', { op: 'resize', params: { print_width: 10, dpi: 200 } }, { print_width: 10, dpi: 200 }],
  ['adjust', { op: 'adjust', params: { brightness: 20, saturation: -50 } }, { brightness: 20, saturation: -50 }],
  ['enhance', { op: 'adjust', params: { enhance: true, sharpen: 30 } }, { enhance: true, sharpen: 30 }],
  ['grayscale', { op: 'adjust', params: { grayscale: true } }, { grayscale: true }],
  ['border', { op: 'border', params: { border: 7, border_color: '#112233' } }, { border: 7, border_color: '#112233' }],
  [
    'border, clear',
    { op: 'border', params: { border: 7, border_color: 'transparent' } },
    { border: 7, border_color: 'transparent' },
  ],
  [
    'watermark',
    { op: 'watermark', params: { watermark_text: '© Ž', watermark_position: 'tile' } },
    { watermark_text: '© Ž', watermark_position: 'tile' },
  ],
];

describe('a step', () => {
  for (const [name, step, params] of SINGLE) {
    it(`gives the same result as compress: ${name}`, async () => {
      verifies('pipeline.step');
      for (const source of [await photo(), await transparentImage()]) {
        const expected = await compress(source, { ...params, format: 'png', quality: 100 });
        const ran = await pipeline(source, [step, PNG]);
        assert.deepEqual(reasons(ran), [null, null]);
        assert.deepEqual(difference(await decode(ran.bytes), await decode(expected.bytes)), { max: 0, mean: 0 });
        assert.equal(ran.dpi, expected.dpi);
      }
    });
  }

  it('draws the uploaded logo, and the text before it', async () => {
    const logo = await png(flat(30, 10, 255, 0, 0));
    const marks = { watermark_text: 'text', watermark_opacity: 90, watermark_size: 50 };
    const expected = await compress(await photo(), { ...marks, format: 'png', quality: 100 }, logo);
    const ran = await pipeline(await photo(), [{ op: 'watermark', params: { ...marks, logo: true } }, PNG], { logo });
    assert.deepEqual(difference(await decode(ran.bytes), await decode(expected.bytes)), { max: 0, mean: 0 });
    const without = await pipeline(await photo(), [{ op: 'watermark', params: marks }, PNG]);
    assert.ok(difference(await decode(ran.bytes), await decode(without.bytes)).max > 100);
  });

  it('centres the image, never cuts it, and uses its own colour', async () => {
    const ran = await pipeline(await png(flat(20, 30, 200, 0, 0)), [
      { op: 'pad', params: { width: 41, height: 10, background: '#0000ff' } },
      PNG,
    ]);
    const padded = await decode(ran.bytes);
    assert.deepEqual([padded.width, padded.height], [41, 30]);
    assert.deepEqual(pixel(padded, 9, 0), [0, 0, 255]);
    assert.deepEqual(pixel(padded, 10, 0), [200, 0, 0]);
    assert.deepEqual(pixel(padded, 29, 29), [200, 0, 0]);
    assert.deepEqual(pixel(padded, 30, 29), [0, 0, 255]);
  });

  it('covers areas as blur-faces does, without a model', async () => {
    const boxes = '20,20,60,60;150,40,40,50;500,500,9,9';
    const source = await photo();
    const { data } = await (await testEngine()).run('blur-faces', {
      image: { data: ownBuffer(source) },
      params: { ...blurFacesParams.parse({ boxes, effect: 'pixelate' }), page: 1 },
    });
    const ran = await pipeline(source, [{ op: 'blur_faces', params: { boxes, effect: 'pixelate' } }, PNG]);
    assert.equal(ran.ranModel, false);
    assert.deepEqual(difference(await decode(ran.bytes), await decode(new Uint8Array(data))), { max: 0, mean: 0 });
  });

  it('covers areas of an image that was resized while it was decoded, in every format', async () => {
    const source = await jpeg(pattern(1000, 800));
    const steps = [
      { op: 'resize', params: { width: 500 } },
      { op: 'blur_faces', params: { boxes: '100,100,150,150', effect: 'pixelate', strength: 90 } },
    ];
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const ran = await pipeline(source, [...steps, { op: 'compress', params: { format, quality: 90 } }]);
      const { data, info } = await sharp(ran.bytes)
        .extract({ left: 120, top: 120, width: 60, height: 60 })
        .raw()
        .toBuffer({ resolveWithObject: true });
      assert.deepEqual([info.width, info.height], [60, 60]);
      const blues = data.filter((_, at) => at % info.channels === 2);
      assert.ok(
        Math.max(...blues) - Math.min(...blues) < 20,
        `${format}: ${Math.min(...blues)} to ${Math.max(...blues)}`,
      );
    }
  });

  it('turns the image upright before all others', async () => {
    const upright = pattern(60, 40);
    const turned = await sharpOf(upright).rotate(-90).withMetadata({ orientation: 6 }).png().toBuffer();
    const steps = [{ op: 'crop', params: { crop: '0,0,60,10' } }, PNG];
    const ran = await pipeline(turned, [{ op: 'orient' }, ...steps]);
    assert.deepEqual(reasons(ran), [null, null, null]);
    assert.deepEqual(pixel(await decode(ran.bytes), 59, 9), pixel(upright, 59, 9));
    const without = await pipeline(turned, steps);
    assert.deepEqual(without.bytes, ran.bytes);
    assert.deepEqual(reasons(await pipeline(await png(upright), [{ op: 'orient' }, PNG])), ['no_change', null]);
  });

  it('makes an ID photo as id-photo does, alone and after other steps', async () => {
    const source = await jpeg(pattern(900, 700));
    const params = { width: 300, height: 400, max_bytes: 30_000 };
    const alone = await pipeline(source, [{ op: 'id_photo', params }]);
    const expected = await idPhoto(source, params);
    assert.deepEqual(alone.bytes, expected.bytes);
    assert.deepEqual([alone.outcome, alone.dpi], [expected.outcome, expected.dpi]);

    const mirrored = await pipeline(source, [
      { op: 'flip', params: { flip: 'h' } },
      { op: 'id_photo', params: { width: 300, height: 400, format: 'png', crop: '0,0,450,600' } },
    ]);
    const own = await idPhoto(
      await png(
        await decode(
          await sharpOf(await decode(source))
            .flop()
            .png()
            .toBuffer(),
        ),
      ),
      {
        width: 300,
        height: 400,
        format: 'png',
        crop: '0,0,450,600',
      },
    );
    assert.ok(difference(await decode(mirrored.bytes), await decode(own.bytes)).mean < 0.5);
  });
});

describe('steps', () => {
  const border = { op: 'border', params: { border: 10, border_color: '#ff0000' } };
  const half = { op: 'resize', params: { percent: 50 } };

  it('are run in the order in which they are written', async () => {
    const source = await png(flat(100, 80, 0, 0, 200));
    const borderFirst = await decode((await pipeline(source, [border, half, PNG])).bytes);
    const borderLast = await decode((await pipeline(source, [half, border, PNG])).bytes);
    assert.deepEqual([borderFirst.width, borderFirst.height], [60, 50]);
    assert.deepEqual([borderLast.width, borderLast.height], [70, 60]);
    assert.deepEqual(pixel(borderLast, 9, 30), [255, 0, 0]);
    assert.deepEqual(pixel(borderLast, 10, 30), [0, 0, 200]);
    const [redFirst] = pixel(borderFirst, 8, 25) as [number];
    assert.ok(redFirst < 60);
  });

  it('may be repeated', async () => {
    const twice = await pipeline(await png(pattern(100, 80)), [
      half,
      border,
      half,
      { op: 'flip', params: { flip: 'v' } },
      border,
      PNG,
    ]);
    assert.deepEqual([twice.width, twice.height], [35 + 20, 30 + 20]);
  });

  it('that change nothing are skipped', async () => {
    const nothing: RawStep[] = [
      { op: 'crop', params: { crop: '0,0,100,80' } },
      { op: 'resize', params: { width: 500 } },
      { op: 'resize', params: { width: 100, height: 80, fit: 'contain' } },
      { op: 'pad', params: { width: 100, height: 10 } },
      { op: 'resize', params: { percent: 100 } },
      { op: 'blur_faces', params: { boxes: '100,0,5,5;-5,-5,5,5' } },
    ];
    // The source is already small.
    const source = await jpeg(pattern(100, 80), 10);
    const ran = await pipeline(source, nothing);
    assert.deepEqual(
      reasons(ran),
      nothing.map(() => 'no_change'),
    );
    assert.equal(ran.outcome, 'kept_original');
  });

  it('leave new areas transparent where the format allows it, otherwise in the background colour', async () => {
    const source = await jpeg(flat(40, 20, 10, 200, 10));
    const turn = { op: 'rotate', params: { rotate: 45 } };
    const clear = await decode((await pipeline(source, [turn, PNG])).bytes);
    assert.deepEqual(pixel(clear, 0, 0), [0, 0, 0, 0]);
    const painted = await pipeline(source, [
      turn,
      { op: 'compress', params: { format: 'jpeg', background: '#0000ff', quality: 100 } },
    ]);
    const [red, green, blue] = pixel(await decode(painted.bytes), 1, 1) as [number, number, number];
    assert.ok(red < 10 && green < 10 && blue > 245);
    assert.deepEqual(painted.warnings, []);
    const own = await decode(
      (await pipeline(source, [{ op: 'rotate', params: { rotate: 45, background: '#ff0000' } }, PNG])).bytes,
    );
    assert.deepEqual(pixel(own, 0, 0), [255, 0, 0]);
    const contained = await decode(
      (
        await pipeline(source, [
          { op: 'resize', params: { width: 20, height: 20, fit: 'contain', background: '#ff0000' } },
          PNG,
        ])
      ).bytes,
    );
    assert.deepEqual(pixel(contained, 0, 0), [255, 0, 0]);
  });
});
