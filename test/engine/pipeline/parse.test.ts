import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePipeline, parsePipelineText } from '../../../engine/pipeline/parse.ts';
import { TEMPLATES_BY_NAME } from '../../../server/pipelines/templates.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const RESIZE = { op: 'resize', params: { width: 100 } };
const withStep = (step: unknown) => ({ steps: [RESIZE, step] });

/** Creates nested conditions. */
const nested = (depth: number): object => (depth === 1 ? { min_width: 1 } : { not: nested(depth - 1) });

describe('parsePipeline', () => {
  it('fills in defaults for the engine and keeps the original', () => {
    verifies('pipeline.step', 'pipeline.step.when');
    const { description, outputName, sent, steps } = parsePipeline({
      name: 'web',
      description: 'For the shop',
      output_name: '{name}.{ext}',
      steps: [
        { op: 'orient' },
        { when: { min_width: 800, any: [{ format: 'jpeg' }, { not: { has_alpha: true } }] }, op: 'remove-background' },
        { params: { fit: 'cover', height: 60, width: 80 }, op: 'resize' },
        { op: 'upscale', params: { scale: 2 } },
      ],
    });
    assert.deepEqual([description, outputName], ['For the shop', '{name}.{ext}']);
    const when = { min_width: 800, any: [{ format: 'jpeg' }, { not: { has_alpha: true } }] };
    // Parameters are sorted in the order of the declaration, so that equal steps give equal text.
    assert.equal(
      JSON.stringify(sent),
      JSON.stringify([
        { op: 'orient', params: {} },
        { op: 'remove_background', when, params: {} },
        { op: 'resize', params: { width: 80, height: 60, fit: 'cover' } },
        { op: 'upscale', params: { scale: '2' } },
      ]),
    );
    assert.deepEqual(steps[2], {
      op: 'resize',
      params: { width: 80, height: 60, fit: 'cover', enlarge: false, dpr: 1 },
    });
    assert.deepEqual(steps[1]?.when, when);
    assert.equal((steps[1]!.params as { feather: number }).feather, 1);
  });

  it('accepts 1 to 20 steps, and null for omitted fields', () => {
    for (const count of [1, 20]) assert.equal(parsePipeline({ steps: Array(count).fill(RESIZE) }).steps.length, count);
    const { description, outputName } = parsePipeline({
      name: null,
      description: null,
      output_name: null,
      steps: [RESIZE],
    });
    assert.deepEqual([description, outputName], [null, null]);
  });

  it('accepts every template unchanged', () => {
    assert.deepEqual(
      [...TEMPLATES_BY_NAME.keys()],
      ['web', 'thumbnail', 'social-card', 'avatar', 'product-white', 'privacy', 'email', 'archive'],
    );
  });

  it('accepts conditions nested five deep', () => {
    assert.deepEqual(parsePipeline({ steps: [{ op: 'orient', when: nested(5) }] }).steps[0]?.when, nested(5));
  });

  const refusals: [what: string, place: string, sentence: RegExp, value: unknown][] = [
    ['nothing', 'pipeline', /^Expected an object with steps for pipeline but received nothing\.$/, undefined],
    ['null', 'pipeline', /received null/, null],
    ['a list', 'pipeline', /an object with steps/, [RESIZE]],
    ['no steps', 'steps', /^Expected a list of 1 to 20 steps for steps but received nothing\.$/, {}],
    ['an empty list of steps', 'steps', /1 to 20 steps/, { steps: [] }],
    ['21 steps', 'steps', /1 to 20 steps/, { steps: Array(21).fill(RESIZE) }],
    ['steps that are no list', 'steps', /1 to 20 steps/, { steps: RESIZE }],
    [
      'an unknown field',
      'stpes',
      /one of name, description, output_name, steps, outputs for the name of a field of pipeline but received "stpes"/,
      { stpes: [], steps: [RESIZE] },
    ],
    [
      '__proto__',
      '__proto__',
      /the name of a field of pipeline/,
      JSON.parse('{"__proto__":{"steps":[]},"steps":[{"op":"orient"}]}'),
    ],
    [
      'a description that is too long',
      'description',
      /text of at most 300 characters or null for description/,
      { description: 'a'.repeat(301), steps: [RESIZE] },
    ],
    ['a name that is too long', 'name', /at most 60/, { name: 'a'.repeat(61), steps: [RESIZE] }],
    ['an empty output_name', 'output_name', /1 to 120 characters or null/, { output_name: '', steps: [RESIZE] }],
    ['an output_name that is too long', 'output_name', /1 to 120/, { output_name: 'a'.repeat(121), steps: [RESIZE] }],
    ['a step that is none', 'steps[1]', /an object with op for steps\[1\] but received "resize"/, withStep('resize')],
    [
      'a step without op',
      'steps[1].op',
      /one of orient, trim, crop, .+, compress for steps\[1\]\.op but received nothing/,
      withStep({}),
    ],
    ['an unknown op', 'steps[1].op', /received "resise"/, withStep({ op: 'resise' })],
    ['an op of every object', 'steps[1].op', /one of orient/, withStep({ op: 'constructor' })],
    [
      'an unknown field of a step',
      'steps[1].parms',
      /one of op, when, params for the name of a field of steps\[1\]/,
      withStep({ op: 'flip', parms: {} }),
    ],
    [
      'params that are none',
      'steps[1].params',
      /an object of parameters for steps\[1\]\.params but received 5/,
      withStep({ op: 'flip', params: 5 }),
    ],
    [
      'a parameter of another operation',
      'steps[1].params.width',
      /one of flip for the name of a field of steps\[1\]\.params/,
      withStep({ op: 'flip', params: { width: 5 } }),
    ],
    [
      'a parameter out of range',
      'steps[1].params.width',
      /^Expected an integer from 1 to 100000 for steps\[1\]\.params\.width but received 0\.$/,
      withStep({ op: 'resize', params: { width: 0 } }),
    ],
    ['a number as text', 'steps[1].params.width', /received "5"/, withStep({ op: 'resize', params: { width: '5' } })],
    [
      'a boolean as text',
      'steps[1].params.enlarge',
      /true or false/,
      withStep({ op: 'resize', params: { enlarge: 'true' } }),
    ],
    [
      'null for a parameter',
      'steps[1].params.width',
      /received null/,
      withStep({ op: 'resize', params: { width: null } }),
    ],
    [
      'a missing parameter',
      'steps[1].params.format',
      /for steps\[1\]\.params\.format but received nothing/,
      withStep({ op: 'convert' }),
    ],
    [
      'an image behind a cut-out',
      'steps[1].params.background',
      /gradient or blur for/,
      withStep({ op: 'remove_background', params: { background: 'image' } }),
    ],
    [
      'a pair that excludes each other',
      'steps[1].params.print_width',
      /without width in step 2 \(resize\)/,
      withStep({ op: 'resize', params: { print_width: 5, width: 5 } }),
    ],
    [
      'sizes that exclude each other',
      'steps[1].params.min_bytes',
      /at most target_bytes \(5\) for min_bytes in step 2 \(compress\)/,
      withStep({ op: 'compress', params: { target_bytes: 5, min_bytes: 6 } }),
    ],
    [
      'an unknown photo preset',
      'steps[1].params.preset',
      /step 2 \(id_photo\)/,
      withStep({ op: 'id_photo', params: { preset: 'moon' } }),
    ],
    [
      'pixel steps after an encoding',
      'steps[1].op',
      /steps\[1\]\.op but received "resize"/,
      { steps: [{ op: 'compress' }, RESIZE] },
    ],
    [
      'a condition that is none',
      'steps[1].when',
      /an object of conditions for steps\[1\]\.when but received null/,
      withStep({ op: 'flip', when: null }),
    ],
    [
      'an unknown condition',
      'steps[1].when.min_with',
      /one of min_width, .+ for the name of a field of steps\[1\]\.when/,
      withStep({ op: 'flip', when: { min_with: 5 } }),
    ],
    [
      'a condition out of range',
      'steps[1].when.min_width',
      /an integer of at least 0 for steps\[1\]\.when\.min_width but received -1/,
      withStep({ op: 'flip', when: { min_width: -1 } }),
    ],
    [
      'an unknown format',
      'steps[1].when.format',
      /a format as jpeg or a list of formats for/,
      withStep({ op: 'flip', when: { format: 'jpg' } }),
    ],
    ['no formats', 'steps[1].when.format', /a list of formats/, withStep({ op: 'flip', when: { format: [] } })],
    [
      'a fault inside conditions',
      'steps[1].when.any[1].not.orientation',
      /one of landscape, portrait, square for/,
      withStep({ op: 'flip', when: { any: [{}, { not: { orientation: 'wide' } }] } }),
    ],
    [
      'no alternatives',
      'steps[1].when.any',
      /a list of 1 to 20 conditions for/,
      withStep({ op: 'flip', when: { any: [] } }),
    ],
    [
      '21 alternatives',
      'steps[1].when.any',
      /1 to 20 conditions/,
      withStep({ op: 'flip', when: { any: Array(21).fill({}) } }),
    ],
    [
      'conditions six deep',
      'steps[1].when.not.not.not.not.not',
      /at most 5 conditions inside each other/,
      withStep({ op: 'flip', when: nested(6) }),
    ],
    [
      '__proto__ in a condition',
      'steps[1].when.__proto__',
      /the name of a field/,
      withStep({ op: 'flip', when: JSON.parse('{"__proto__":1}') }),
    ],
  ];
  for (const [what, place, sentence, value] of refusals) {
    it(`rejects ${what}`, async () => {
      const { param, message } = await failureOf('invalid_pipeline', () => parsePipeline(value));
      assert.equal(param, place);
      assert.match(message, sentence);
      assert.match(message, /^Expected .+ but received .+\.$/);
    });
  }
});

describe('parsePipelineText', () => {
  it('reads JSON', () => assert.equal(parsePipelineText('{"steps":[{"op":"orient"}]}').steps.length, 1));

  for (const text of ['', 'resize', '{"steps":', "{'steps':[]}", `{"steps":[${JSON.stringify(RESIZE)}]}x`])
    it(`rejects ${text.slice(0, 12)}`, async () => {
      const { param, message } = await failureOf('invalid_pipeline', () => parsePipelineText(text));
      assert.equal(param, 'pipeline');
      assert.match(message, /^Expected valid JSON for pipeline but received "/);
    });

  it('survives deep nesting', async () => {
    const deep = (open: string, close: string) => `${open.repeat(6000)}1${close.repeat(6000)}`;
    for (const text of [
      deep('[', ']'),
      `{"steps":[{"op":"flip","when":${deep('{"not":', '}')}}]}`,
      `{"steps":[{"op":"flip","when":{"min_width":${deep('[', ']')}}}]}`,
      `{"steps":[{"op":"flip","params":{"flip":${deep('[', ']')}}}]}`,
      `{"steps":[{"op":"flip","params":${deep('{"flip":', '}')}}]}`,
    ])
      await failureOf('invalid_pipeline', () => parsePipelineText(text));
  });
});
