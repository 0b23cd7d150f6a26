/** The parameters of remove-background: bounds, defaults, and invalid combinations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  parseFrame,
  type RemoveBackgroundParams,
  removeBackgroundParams,
  resolveBackground,
} from '../../../engine/operations/remove-background/params.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const given = (params: Partial<RemoveBackgroundParams>) => removeBackgroundParams.parse(params);
const accepts = (name: string, value: unknown) => removeBackgroundParams.safeParse({ [name]: value }).success;

describe('the declaration', () => {
  it('has the defaults of the API', () => {
    assert.deepEqual(given({}), {
      gradient_from: '#ffffff',
      gradient_to: '#c8ccd4',
      blur: 40,
      feather: 1,
      refine: false,
      subject_fill: 85,
      format: 'png',
      mask: false,
    });
  });

  it('accepts values up to its limits and nothing beyond', () => {
    verifies(
      'remove-background.background.values',
      'remove-background.gradient.form',
      'remove-background.blur.bounds',
      'remove-background.feather.bounds',
      'remove-background.subject-fill.bounds',
    );
    const bounds = {
      background: [
        ['transparent', 'gradient', 'blur', 'image', '#00ff7F', '00ff7f'],
        ['', 'white', '#fff', '#12345g', 'Blur', 'transparent '],
      ],
      gradient_from: [
        ['#000000', 'ffffff'],
        ['transparent', '#00000', ''],
      ],
      gradient_to: [
        ['#000000', 'ffffff'],
        ['transparent', '#0000000', ''],
      ],
      blur: [
        [1, 100],
        [0, 101, 1.5],
      ],
      feather: [
        [0, 3],
        [-1, 4, 0.5],
      ],
      subject_fill: [
        [10, 100],
        [9, 101],
      ],
      frame: [
        ['1x1', '99999x99999', '800x600'],
        ['0x10', '10x0', '100000x1', '800', '800x', 'x600', '800X600', '-1x5', '8.5x5', '800x600x3', ''],
      ],
      format: [
        ['png', 'webp', 'jpeg'],
        ['jpg', 'avif', 'auto', 'PNG'],
      ],
    } as const;
    for (const [name, [good, bad]] of Object.entries(bounds)) {
      for (const value of good) assert.ok(accepts(name, value), `${name} ${value}`);
      for (const value of bad) assert.ok(!accepts(name, value), `${name} ${value}`);
    }
  });

  it('reads a frame', () => {
    assert.deepEqual(parseFrame('800x601'), { width: 800, height: 601 });
  });
});

describe('the background', () => {
  it('follows the parameters', () => {
    assert.deepEqual(resolveBackground(given({}), false), { kind: 'transparent' });
    assert.deepEqual(resolveBackground(given({ background: '102030' }), false), { kind: 'colour', colour: '102030' });
    assert.deepEqual(resolveBackground(given({ background: 'gradient', gradient_to: '#010203' }), false), {
      kind: 'gradient',
      from: '#ffffff',
      to: '#010203',
    });
    assert.deepEqual(resolveBackground(given({ background: 'blur' }), false), { kind: 'blur', strength: 40 });
    assert.deepEqual(resolveBackground(given({ background: 'image' }), true), { kind: 'image' });
  });

  it('is the uploaded image when no other background was requested', () => {
    assert.deepEqual(resolveBackground(given({}), true), { kind: 'image' });
  });

  it('must not be an image that was not uploaded, nor anything else when one was', async () => {
    const { param, message } = await failureOf('invalid_parameter', () =>
      resolveBackground(given({ background: 'image' }), false),
    );
    assert.equal(param, 'background_image');
    assert.match(message, /received nothing/);
    for (const background of ['transparent', 'blur', '#ffffff']) {
      const conflict = await failureOf('conflicting_parameters', () => resolveBackground(given({ background }), true));
      assert.equal(conflict.param, 'background_image');
    }
  });

  it('must not be transparent in a JPEG', async () => {
    verifies('remove-background.format.jpeg');
    for (const background of [undefined, 'transparent']) {
      const params = given({ format: 'jpeg', ...(background ? { background } : {}) });
      const { param } = await failureOf('conflicting_parameters', () => resolveBackground(params, false));
      assert.equal(param, 'format');
    }
    for (const background of ['#ffffff', 'gradient', 'blur'])
      resolveBackground(given({ format: 'jpeg', background }), false);
    resolveBackground(given({ format: 'jpeg' }), true);
    // The mask is always a PNG.
    assert.deepEqual(resolveBackground(given({ format: 'jpeg', mask: true }), false), { kind: 'transparent' });
  });
});
