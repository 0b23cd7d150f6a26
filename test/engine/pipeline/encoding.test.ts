/** Results of pipelines are encoded in the same way as by compress and gif. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { CompressParams } from '../../../engine/operations/compress/params.ts';
import { compress, inspect } from '../../support/engine.ts';
import { decode, difference, flat, jpeg, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { decodeAnimation, edit, makeGif } from '../gif/support.ts';
import { pipeline, plan, type RawStep, reasons } from './support.ts';

const photo = () => jpeg(pattern(450, 300));
const half = { op: 'resize', params: { percent: 50 } };

/** Makes three frames of two colours, half a second in total, repeated twice. */
const animation = () =>
  makeGif({
    width: 8,
    height: 6,
    repeats: 2,
    table: [0xff0000, 0x00ff00, 0x0000ff, 0xffffff],
    frames: [10, 20, 20].map((delay, index) => ({
      width: 8,
      height: 6,
      delay,
      indices: Array.from({ length: 48 }, (_, at) => (at % 8 < 4 ? index : 3)),
    })),
  });

/** Requests to compress whose order matches the steps, and the same as pipelines. */
const SAME: readonly [string, readonly RawStep[], Partial<CompressParams>][] = [
  ['nothing', [], {}],
  ['the defaults', [{ op: 'compress' }], {}],
  ['a quality', [{ op: 'compress', params: { quality: 40 } }], { quality: 40 }],
  ['convert', [{ op: 'convert', params: { format: 'webp', quality: 60 } }], { format: 'webp', quality: 60 }],
  ['smart', [{ op: 'compress', params: { format: 'webp', mode: 'smart' } }], { format: 'webp', mode: 'smart' }],
  ['lossless', [{ op: 'compress', params: { format: 'png', mode: 'lossless' } }], { format: 'png', mode: 'lossless' }],
  ['a target', [half, { op: 'compress', params: { target_bytes: 4000 } }], { percent: 50, target_bytes: 4000 }],
  ['padding', [half, { op: 'compress', params: { min_bytes: 90_000 } }], { percent: 50, min_bytes: 90_000 }],
  [
    'score',
    [half, { op: 'compress', params: { score: true, fingerprint: true } }],
    { percent: 50, score: true, fingerprint: true },
  ],
  ['an icon', [half, { op: 'compress', params: { format: 'ico' } }], { percent: 50, format: 'ico' }],
  ['dpi', [{ op: 'compress', params: { dpi: 144 } }], { dpi: 144 }],
  ['dpi of a resize', [{ op: 'resize', params: { dpi: 144 } }], { dpi: 144 }],
  ['print size', [{ op: 'resize', params: { print_width: 20 } }], { print_width: 20 }],
  ['print size without enough pixels', [{ op: 'resize', params: { print_width: 200 } }], { print_width: 200 }],
  [
    'all steps',
    [
      { op: 'crop', params: { crop: '50,25,350,250' } },
      { op: 'flip', params: { flip: 'h' } },
      { op: 'rotate', params: { rotate: 270 } },
      { op: 'resize', params: { width: 200 } },
      { op: 'adjust', params: { contrast: 20 } },
      { op: 'border', params: { border: 4 } },
      { op: 'watermark', params: { watermark_text: 'x' } },
      { op: 'compress', params: { format: 'jpeg' } },
    ],
    {
      crop: '50,25,350,250',
      flip: 'h',
      rotate: 270,
      width: 200,
      contrast: 20,
      border: 4,
      watermark_text: 'x',
      format: 'jpeg',
    },
  ],
];

describe('a pipeline of compress steps', () => {
  for (const [name, steps, params] of SAME) {
    it(`returns the same bytes as compress: ${name}`, async () => {
      const source = await photo();
      const { phases, ...expected } = await compress(source, params);
      // Runs at least one step.
      const ran = await pipeline(source, steps.length === 0 ? [{ op: 'orient' }] : steps);
      assert.ok(ran.bytes.equals(expected.bytes));
      for (const key of [
        'format',
        'width',
        'height',
        'dpi',
        'outcome',
        'warnings',
        'source',
        'similarity',
        'fingerprint',
        'explain',
      ] as const)
        assert.deepEqual(ran[key], expected[key], key);
    });
  }

  it('decodes a JPEG at a smaller size where its first step allows it', async () => {
    // A decoder that shrinks changes fine patterns, but not flat colours.
    const source = await jpeg(pattern(800, 600));
    const turned = [
      { op: 'flip', params: { flip: 'v' } },
      { op: 'rotate', params: { rotate: 90 } },
    ];
    const ran = await pipeline(source, [...turned, { op: 'resize', params: { width: 90 } }]);
    const expected = await compress(source, { flip: 'v', rotate: 90, width: 90 });
    assert.ok(ran.bytes.equals(expected.bytes));
  });

  it('keeps the source when nothing was changed and no result is smaller', async () => {
    const source = await jpeg(pattern(300, 200), 20);
    const ran = await pipeline(source, [{ op: 'compress', params: { quality: 100, metadata: 'keep' } }]);
    assert.equal(ran.outcome, 'kept_original');
    assert.ok(ran.bytes.length <= source.length);
    assert.equal(difference(await decode(ran.bytes), await decode(source)).max, 0);
    const bordered = await pipeline(source, [
      { op: 'border', params: { border: 1 } },
      { op: 'compress', params: { quality: 100 } },
    ]);
    assert.equal(bordered.outcome, 'grown');
  });

  it('renders vector images at the requested size', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><circle cx="20" cy="10" r="8"/></svg>',
    );
    const ran = await pipeline(svg, [
      { op: 'resize', params: { width: 400 } },
      { op: 'convert', params: { format: 'png' } },
    ]);
    const expected = await compress(svg, { width: 400, format: 'png' });
    assert.ok(ran.bytes.equals(expected.bytes));
    assert.deepEqual([ran.source.width, ran.width], [40, 400]);
    // The condition tests the drawing's own size.
    const small = await pipeline(svg, [
      { op: 'resize', when: { max_width: 40 }, params: { percent: 1000 } },
      { op: 'adjust', when: { max_width: 40 }, params: { brightness: 5 } },
    ]);
    assert.deepEqual(reasons(small), [null, 'condition']);
    assert.equal(small.width, 400);
  });
});

describe('encoding steps', () => {
  it('are tried in order, and the first whose condition is true is used', async () => {
    const steps = [
      { op: 'convert', when: { min_width: 1000 }, params: { format: 'avif' } },
      { op: 'convert', when: { max_width: 900 }, params: { format: 'webp' } },
      { op: 'id_photo', params: { preset: 'us_visa' } },
    ];
    const ran = await pipeline(await photo(), steps);
    assert.deepEqual(reasons(ran), ['condition', null, 'earlier_encoding_used']);
    assert.equal(ran.format, 'webp');
    const none = await pipeline(await png(flat(9, 9, 1, 2, 3)), [
      { op: 'convert', when: { min_width: 10 }, params: { format: 'webp' } },
    ]);
    assert.equal(none.format, 'png');
  });

  it('keep the metadata that a step or they themselves name', async () => {
    const source = await sharpOf(pattern(90, 60))
      .withExif({ IFD0: { Make: 'Maker' } })
      .jpeg()
      .toBuffer();
    const make = async (...steps: RawStep[]) =>
      (await inspect((await pipeline(source, [half, ...steps])).bytes)).camera?.make ?? null;
    const metadata = (mode: string, when?: object): RawStep => ({
      op: 'metadata',
      params: { metadata: mode },
      ...(when ? { when } : {}),
    });
    assert.equal(await make(), null);
    assert.equal(await make(metadata('keep')), 'Maker');
    assert.equal(await make(metadata('keep'), { op: 'convert', params: { format: 'webp' } }), 'Maker');
    assert.equal(await make(metadata('keep'), { op: 'compress' }), 'Maker');
    assert.equal(await make({ op: 'compress' }, metadata('keep')), 'Maker');
    assert.equal(await make({ op: 'compress', params: { metadata: 'keep' } }), 'Maker');
    assert.equal(await make(metadata('keep'), { op: 'compress', params: { metadata: 'strip' } }), null);
    assert.equal(await make(metadata('keep'), metadata('strip')), null);
    assert.equal(await make(metadata('keep'), metadata('strip', { min_width: 1000 })), 'Maker');
    const { steps } = await plan(source, [metadata('keep'), { op: 'compress' }]);
    assert.equal((steps[1]!.params as { metadata: string }).metadata, 'keep');
    const dropped = await pipeline(source, [metadata('keep'), { op: 'id_photo', params: { width: 50, height: 50 } }]);
    assert.ok(dropped.warnings.includes('metadata_dropped'));
  });

  it('warn when transparency is painted', async () => {
    const ran = await pipeline(await png(pattern(40, 30, 4)), [half, { op: 'convert', params: { format: 'jpeg' } }]);
    assert.deepEqual(ran.warnings, ['alpha_flattened']);
    const padded = await pipeline(await png(pattern(40, 30)), [
      { op: 'compress', params: { format: 'webp', min_bytes: 9 } },
    ]);
    assert.deepEqual(padded.plan.warnings, ['min_size_unavailable']);
  });

  it('use PNG for a cut-out of an image whose format is not written', async () => {
    const ppm = Buffer.concat([Buffer.from('P6 40 30 255\n'), pattern(40, 30).data]);
    assert.equal((await pipeline(ppm, [half])).format, 'jpeg');
    assert.equal((await pipeline(ppm, [{ op: 'crop', params: { crop_shape: 'circle' } }])).format, 'png');
  });
});

describe('animations', () => {
  it('go through the steps frame by frame', async () => {
    const ran = await pipeline(animation(), [
      { op: 'flip', params: { flip: 'h' } },
      { op: 'border', params: { border: 2, border_color: '#000000' } },
    ]);
    assert.equal(ran.format, 'gif');
    const { frames, delays, plays } = await decodeAnimation(ran.bytes);
    assert.deepEqual([frames.length, delays, plays], [3, [100, 200, 200], 3]);
    for (const [index, frame] of frames.entries()) {
      assert.deepEqual([frame.width, frame.height], [12, 10]);
      assert.deepEqual(pixel(frame, 2, 4), [255, 255, 255, 255]);
      assert.deepEqual(pixel(frame, 8, 4).slice(0, 3).indexOf(255), index);
    }
  });

  it('become a still image where the result format is still', async () => {
    const flattened = await pipeline(animation(), [{ op: 'convert', params: { format: 'png' } }]);
    assert.deepEqual(flattened.warnings, ['animation_flattened']);
    assert.deepEqual(flattened.plan.warnings, ['animation_flattened']);
    const photoOf = await pipeline(animation(), [{ op: 'id_photo', params: { width: 20, height: 20 } }]);
    assert.ok(photoOf.warnings.includes('animation_flattened'));
  });

  it('are edited as in gif', async () => {
    const params = { width: 4, reverse: true, every: 2, format: 'webp' as const };
    const ran = await pipeline(animation(), [{ op: 'gif', params }]);
    assert.deepEqual(ran.bytes, (await edit(animation(), params)).bytes);
    assert.ok(!('frames' in ran));
  });

  it('that were edited are encoded by the step that follows', async () => {
    const gif = { op: 'gif', params: { reverse: true, trim_end: 0.3 } };
    const webp = await pipeline(animation(), [gif, { op: 'compress', params: { format: 'webp', mode: 'lossless' } }]);
    const { frames, delays, plays } = await decodeAnimation(webp.bytes);
    assert.deepEqual([frames.length, delays, plays], [2, [200, 100], 3]);
    assert.deepEqual(pixel(frames[0]!, 0, 0), [0, 255, 0, 255]);
    const still = await pipeline(animation(), [gif, { op: 'convert', params: { format: 'png' } }]);
    assert.deepEqual(pixel(await decode(still.bytes), 0, 0).slice(0, 3), [0, 255, 0]);
    assert.deepEqual(still.warnings, ['animation_flattened']);
    const own = await pipeline(animation(), [{ op: 'gif', params: { format: 'webp' } }, { op: 'compress' }]);
    assert.equal((await sharp(own.bytes).metadata()).format, 'webp');
  });
});

describe('predicted bytes', () => {
  it('are exact when the source is kept, and the target when one is set', async () => {
    verifies('pipeline.dry-run.sizes');
    const source = await photo();
    const target = (target_bytes: number): RawStep => ({ op: 'compress', params: { target_bytes } });
    const kept = await pipeline(source, [target(source.length)]);
    assert.deepEqual(kept.plan.result.predicted, {
      bytes: kept.bytes.length,
      min: kept.bytes.length,
      max: kept.bytes.length,
      basis: 'exact',
    });
    const met = await pipeline(source, [target(kept.bytes.length - 1)]);
    const { predicted } = met.plan.result;
    assert.equal(predicted.basis, 'target');
    assert.ok(predicted.min <= met.bytes.length && met.bytes.length <= predicted.max);
    const estimated = await plan(source, [half]);
    assert.equal(estimated.result.predicted.basis, 'estimate');
    const least = await plan(source, [half, { op: 'compress', params: { min_bytes: 5_000_000 } }]);
    assert.deepEqual(least.result.predicted, { bytes: 5_000_000, min: 5_000_000, max: 5_000_000, basis: 'estimate' });
  });
});
