/** Failures while a pipeline runs: they name the step and do not affect other tasks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { needsModel, timeFactor } from '../../../engine/task-requirements.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { flat, jpeg, pattern, png } from '../../support/test-images.ts';
import { pipeline, plan, type RawStep, stepsOf } from './support.ts';

const photo = () => jpeg(pattern(300, 200));
const half: RawStep = { op: 'resize', params: { percent: 50 } };

describe('a step that fails', () => {
  const cases: readonly [
    string,
    readonly RawStep[],
    'invalid_parameter' | 'image_too_large' | 'unsupported_output',
    RegExp,
    string,
  ][] = [
    [
      'crop',
      [half, { op: 'crop', params: { crop: '0,0,151,1' } }],
      'invalid_parameter',
      /150 x 100 image for crop in step 2 \(crop\) but received "0,0,151,1"/,
      'steps[1].params.crop',
    ],
    [
      'upscale',
      [{ op: 'upscale' }],
      'image_too_large',
      /at most 40000 pixels for image in step 1 \(upscale\) but received 300 x 200/,
      'image',
    ],
    [
      'resize',
      [{ op: 'resize', params: { width: 50_000, enlarge: true } }],
      'image_too_large',
      / in step 1 \(resize\) /,
      'image',
    ],
    [
      'pad',
      [half, { op: 'pad', params: { width: 100_000, height: 100_000 } }],
      'image_too_large',
      / in step 2 \(pad\) /,
      'image',
    ],
    [
      'compress',
      [half, { op: 'compress', params: { format: 'jpeg', mode: 'lossless' } }],
      'unsupported_output',
      / for format in step 2 \(compress\) /,
      'steps[1].params.format',
    ],
    [
      'id_photo',
      [half, { op: 'id_photo', params: { width: 50, height: 50, crop: '0,0,300,200' } }],
      'invalid_parameter',
      / for crop in step 2 \(id_photo\) /,
      'steps[1].params.crop',
    ],
    [
      'gif',
      [{ op: 'gif', params: { trim_start: 9 } }],
      'invalid_parameter',
      / for trim_start in step 1 \(gif\) /,
      'steps[0].params.trim_start',
    ],
  ];
  for (const [op, steps, code, message, param] of cases) {
    it(`is named in a plan and in a run: ${op}`, async () => {
      const source = await photo();
      for (const work of [plan, pipeline]) {
        const failure = await failureOf(code, () => work(source, steps, { maxPixels: 40_000 }));
        assert.match(failure.message, message);
        assert.equal(failure.param, param);
      }
    });
  }

  it('is named when its model is missing', async () => {
    const engine = await testEngine();
    // The upscaler is part of the package.
    for (const op of ['blur_faces', 'remove_background']) {
      const failure = await failureOf('model_unavailable', async () =>
        engine.run('pipeline', {
          image: { data: ownBuffer(await photo()) },
          params: { steps: stepsOf([half, { op }]), maxPixels: 1e6 },
        }),
      );
      assert.match(failure.message, new RegExp(`in step 2 \\(${op}\\)`));
    }
  });

  it('is named when the logo cannot be read', async () => {
    const logo = Buffer.from('no image');
    const failure = await failureOf('unsupported_format', async () =>
      pipeline(await photo(), [{ op: 'watermark', params: { logo: true } }], { logo }),
    );
    assert.match(failure.message, /for watermark_image in step 1 \(watermark\)/);
  });
});

describe('a source', () => {
  it('that is truncated is read as far as it goes', async () => {
    const source = await png(pattern(200, 200));
    const ran = await pipeline(source.subarray(0, source.length * 0.7), [
      half,
      { op: 'convert', params: { format: 'png' } },
    ]);
    assert.deepEqual(ran.warnings, ['truncated_source']);
    const kept = await pipeline(source.subarray(0, source.length * 0.7), [{ op: 'orient' }]);
    assert.notEqual(kept.outcome, 'kept_original');
  });

  it('that is not an image, or cannot be read, is rejected', async () => {
    await failureOf('unsupported_format', () => plan(Buffer.from('text'), [half]));
    await failureOf('unsupported_format', () => pipeline(Buffer.alloc(0), [half]));
    const source = await png(pattern(20, 20));
    await failureOf('corrupt_image', () => pipeline(source.subarray(0, 40), [half]));
  });

  it('with too large a size in its header is rejected before it is decoded', async () => {
    const source = await png(flat(2, 2, 1, 2, 3));
    source.writeUInt32BE(400_000, 16);
    source.writeUInt32BE(400_000, 20);
    for (const work of [plan, pipeline]) await failureOf('image_too_large', () => work(source, [half]));
  });

  it('of one pixel passes every step', async () => {
    const steps: RawStep[] = [
      { op: 'crop', params: { crop_ratio: '1:1', crop_gravity: 'attention', crop_shape: 'circle' } },
      { op: 'rotate', params: { rotate: 10 } },
      { op: 'resize', params: { width: 3, enlarge: true } },
      { op: 'adjust', params: { enhance: true, blur: 100, sharpen: 100, saturation: 50 } },
      { op: 'border', params: { border: 1 } },
      { op: 'watermark', params: { watermark_text: 'x' } },
      { op: 'blur_faces', params: { boxes: '0,0,1,1' } },
      { op: 'convert', params: { format: 'png' } },
    ];
    const ran = await pipeline(await png(flat(1, 1, 9, 9, 9)), steps);
    assert.equal(ran.width, 5);
  });
});

describe('a pipeline as a task', () => {
  it('is stopped when its client disconnects', async () => {
    const engine = await testEngine();
    const stop = new AbortController();
    const steps = stepsOf([
      { op: 'adjust', params: { denoise: 100 } },
      { op: 'convert', params: { format: 'avif' } },
    ]);
    const running = engine.run(
      'pipeline',
      { image: { data: ownBuffer(await jpeg(pattern(1500, 1000))) }, params: { steps, maxPixels: 1 } },
      { signal: stop.signal, onStart: () => setImmediate(() => stop.abort()) },
    );
    await assert.rejects(running, { name: 'Cancelled' });
    const after = await pipeline(await photo(), [half], { engine });
    assert.equal(after.width, 150);
  });

  it('runs on a worker with models when a step needs one, with the time limit of a pipeline', async () => {
    const image = { data: new ArrayBuffer(1) };
    const input = (raw: readonly RawStep[]) => ({ image, params: { steps: stepsOf(raw), maxPixels: 1 } });
    const upscale = { op: 'upscale', when: { max_width: 100 } };
    assert.equal(needsModel('pipeline', input([half])), false);
    assert.equal(needsModel('pipeline', input([{ op: 'upscale' }])), true);
    assert.equal(needsModel('pipeline', input([upscale])), false);
    assert.equal(needsModel('pipeline', { ...input([upscale]), mayRunModel: true }), true);
    assert.equal(needsModel('pipeline-plan', input([{ op: 'upscale' }])), false);
    assert.deepEqual([timeFactor('pipeline', input([half])), timeFactor('pipeline-plan', input([half]))], [4, 1]);
  });

  it('keeps no memory of its input', async () => {
    const engine = await testEngine();
    const data = ownBuffer(await photo());
    await engine.run('pipeline', { image: { data }, params: { steps: stepsOf([half]), maxPixels: 1 } });
    assert.equal(data.byteLength, 0);
  });
});
