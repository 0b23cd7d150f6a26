/** Validation of a pipeline before it runs, and whether it may run a model. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../../base/failure.ts';
import { checkLogo, checkPipeline } from '../../../engine/pipeline/check.ts';
import { mayRunModel } from '../../../engine/pipeline/model-steps.ts';
import { failureOf } from '../../support/failure.ts';
import { type RawStep, stepsOf } from './support.ts';

const flip: RawStep = { op: 'flip', params: { flip: 'h' } };
const compress: RawStep = { op: 'compress' };
const photo: RawStep = { op: 'id_photo', params: { preset: 'us_visa' } };
const gif: RawStep = { op: 'gif' };
const nested = (depth: number): object => (depth === 1 ? { min_width: 1 } : { not: nested(depth - 1) });

const REFUSED: readonly [string, readonly RawStep[], ErrorCode, string][] = [
  ['no steps', [], 'invalid_pipeline', 'steps'],
  ['21 steps', Array.from({ length: 21 }, () => flip), 'invalid_pipeline', 'steps'],
  ['pixels after the encoding', [compress, flip], 'invalid_pipeline', 'steps[1].op'],
  ['an ID photo that is not last', [photo, compress], 'invalid_pipeline', 'steps[0].op'],
  ['gif beside other steps', [gif, flip], 'invalid_pipeline', 'steps[0].op'],
  ['gif twice', [gif, gif], 'invalid_pipeline', 'steps[0].op'],
  ['conditions too deep', [{ ...flip, when: nested(6) }], 'invalid_pipeline', 'steps[0].when'],
  [
    'two kinds of size',
    [flip, { op: 'resize', params: { print_width: 5, width: 5 } }],
    'conflicting_parameters',
    'steps[1].params.print_width',
  ],
  [
    'a target without bytes',
    [{ op: 'convert', params: { format: 'jpeg', mode: 'target' } }],
    'invalid_parameter',
    'steps[0].params.mode',
  ],
  [
    'bytes that exclude each other',
    [{ op: 'compress', params: { min_bytes: 9, target_bytes: 8 } }],
    'conflicting_parameters',
    'steps[0].params.min_bytes',
  ],
  [
    'a ratio of nothing',
    [{ op: 'crop', params: { crop_ratio: '0:1' } }],
    'invalid_parameter',
    'steps[0].params.crop_ratio',
  ],
  [
    'no areas to cover',
    [flip, { op: 'blur_faces', params: { boxes: '' } }],
    'invalid_parameter',
    'steps[1].params.boxes',
  ],
  ['an unknown preset', [{ op: 'id_photo', params: { preset: 'moon' } }], 'preset_not_found', 'steps[0].params.preset'],
  ['a photo without a size', [{ op: 'id_photo' }], 'invalid_parameter', 'steps[0].params.preset'],
  [
    'an end before the start',
    [{ op: 'gif', params: { trim_start: 2, trim_end: 1 } }],
    'invalid_parameter',
    'steps[0].params.trim_end',
  ],
];

describe('a pipeline', () => {
  for (const [name, steps, code, param] of REFUSED) {
    it(`is rejected with ${name}`, async () => {
      const failure = await failureOf(code, () => checkPipeline(stepsOf(steps)));
      assert.equal(failure.param, param);
      assert.match(failure.message, /^Expected .+ but received .+\.$/);
      if (code !== 'invalid_pipeline') assert.match(failure.message, / in step [0-9]+ \([a-z_]+\) /);
    });
  }

  const NOTHING: readonly RawStep[] = [
    { op: 'resize' },
    { op: 'resize', params: { fit: 'cover', enlarge: true, background: '#ffffff' } },
    { op: 'crop' },
    { op: 'crop', params: { crop_gravity: 'attention', crop_shape: 'rect' } },
    { op: 'flip' },
    { op: 'rotate', params: { rotate: 0, background: '#ffffff' } },
    { op: 'adjust' },
    { op: 'adjust', params: { brightness: 0, enhance: false } },
    { op: 'border', params: { border_color: '#ff0000' } },
    { op: 'watermark', params: { watermark_size: 40 } },
  ];
  for (const step of NOTHING) {
    it(`is rejected with a step that does nothing: ${JSON.stringify(step)}`, async () => {
      const failure = await failureOf('invalid_pipeline', () => checkPipeline(stepsOf([flip, step, compress])));
      assert.equal(failure.param, 'steps[1].params');
      assert.equal(
        failure.message,
        `Expected parameters with which ${step.op} changes the image for steps[1].params but received none.`,
      );
      assert.match(failure.hint!, /^Set .+, or remove the step\.$/);
    });
  }

  it('is accepted with steps that do something without parameters', () => {
    const names = ['orient', 'remove_background', 'upscale', 'blur_faces', 'metadata', 'compress'];
    checkPipeline(stepsOf(names.map((op) => ({ op }))));
    checkPipeline(stepsOf([gif]));
  });

  it('is accepted with one parameter that does something', () => {
    for (const params of [{ max_height: 9 }, { percent: 50 }, { dpi: 300 }, { print_width: 100 }])
      checkPipeline(stepsOf([{ op: 'resize', params }]));
    checkPipeline(stepsOf([{ op: 'crop', params: { crop_shape: 'circle' } }]));
    checkPipeline(stepsOf([{ op: 'adjust', params: { grayscale: true } }]));
  });

  it('is accepted within its limits', () => {
    checkPipeline(stepsOf([flip]));
    checkPipeline(stepsOf(Array.from({ length: 20 }, () => flip)));
    checkPipeline(stepsOf([{ ...flip, when: nested(5) }, compress, compress, photo]));
    checkPipeline(stepsOf([{ op: 'orient' }, gif, { op: 'metadata' }, compress]));
    checkPipeline(stepsOf([{ op: 'watermark', params: { logo: true } }, compress, { op: 'metadata' }]));
  });

  it('must have the logo that a step draws, and must draw the logo that it has', async () => {
    const drawing = stepsOf([flip, { op: 'watermark', params: { logo: true } }]);
    const plain = stepsOf([{ op: 'watermark', params: { watermark_text: 'a' } }]);
    checkLogo(drawing, true);
    checkLogo(plain, false);
    const missing = await failureOf('invalid_pipeline', () => checkLogo(drawing, false));
    assert.equal(missing.param, 'steps[1].params.logo');
    const undrawn = await failureOf('invalid_parameter', () => checkLogo(plain, true));
    assert.equal(undrawn.param, 'watermark_image');
  });
});

describe('whether a pipeline runs a model', () => {
  const cases: readonly [ReturnType<typeof mayRunModel>, readonly RawStep[]][] = [
    ['never', [flip, compress]],
    ['never', [{ op: 'blur_faces', params: { boxes: '1,1,9,9' } }, photo]],
    ['always', [{ op: 'blur_faces' }]],
    ['always', [flip, { op: 'upscale' }, compress]],
    ['always', [{ op: 'remove_background' }]],
    ['always', [{ op: 'id_photo', params: { preset: 'us_visa', remove_background: true } }]],
    ['by_condition', [{ op: 'upscale', when: { max_width: 100 } }]],
    ['by_condition', [compress, { op: 'id_photo', params: { preset: 'us_visa', remove_background: true } }]],
    ['always', [{ op: 'upscale', when: { max_width: 100 } }, { op: 'blur_faces' }]],
  ];
  for (const [answer, steps] of cases) {
    it(`${answer}: ${steps.map(({ op, when }) => (when ? `${op}?` : op)).join(', ')}`, () => {
      assert.equal(mayRunModel(stepsOf(steps)), answer);
    });
  }
});
