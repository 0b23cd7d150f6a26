/** Every parameter of compress accepts what its declaration allows, and nothing beyond it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createDecoder } from '../../../base/parameter-decoder.ts';
import { checkCompressParams, compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { deliveryParams } from '../../../server/results/output.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const declaration = compressParams.extend(sourceParams.shape).extend(deliveryParams.shape);
const decoder = createDecoder(declaration);

/** Decodes and checks the parameters of a query. */
function read(query: Record<string, string>): Record<string, unknown> {
  const params = decoder.complete(decoder.fromText(Object.entries(query)));
  checkCompressParams(params);
  return params;
}

async function assertRefused(name: string, text: string): Promise<void> {
  const { param } = await failureOf('invalid_parameter', () => read({ [name]: text }));
  assert.equal(param, name);
}

interface Declared {
  type?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  enum?: readonly string[];
}

const DECLARED = Object.entries(
  z.toJSONSchema(declaration, { io: 'input', unrepresentable: 'any' }).properties as Record<string, Declared>,
);
const INTEGERS = DECLARED.filter(([, { type }]) => type === 'integer');
const CHOICES = DECLARED.filter(([, declared]) => declared.enum);
const SWITCHES = DECLARED.filter(([, { type }]) => type === 'boolean').map(([name]) => name);

describe('integers', () => {
  verifies(
    'compress.quality.bounds',
    'compress.quality.default',
    'compress.target-bytes.bounds',
    'compress.min-bytes.bounds',
    'compress.rotate.bounds',
    'compress.width.bounds',
    'compress.height.bounds',
    'compress.percent.bounds',
    'compress.dpi.bounds',
    'compress.max-size.bounds',
    'compress.brightness.bounds',
    'compress.contrast.bounds',
    'compress.saturation.bounds',
    'compress.exposure.bounds',
    'compress.blur.bounds',
    'compress.sharpen.bounds',
    'compress.denoise.bounds',
    'compress.border.bounds',
    'compress.watermark-opacity.bounds',
    'compress.watermark-size.bounds',
    'compress.watermark-offset.bounds',
    'compress.watermark-rotate.bounds',
    'compress.watermark-scale.bounds',
    'compress.watermark-outline-width.bounds',
    'input.page.bounds',
  );
  for (const [name, { minimum: least = NaN, maximum: most = NaN, default: standard }] of INTEGERS) {
    it(`${name} is from ${least} to ${most}`, async () => {
      assert.equal(read({ [name]: String(least) })[name], least);
      assert.equal(read({ [name]: String(most) })[name], most);
      for (const text of [String(least - 1), String(most + 1), `${least}.5`, '1e1', '0x10', '', 'many'])
        await assertRefused(name, text);
    });
    // The default of dpi applies to print sizes only, and that of page warns if there are more pages.
    const isAppliedLater = name === 'dpi' || name === 'page';
    it(`${name} is ${standard} by default`, () => assert.equal(read({})[name], isAppliedLater ? undefined : standard));
  }
});

/** Other parameters that a value requires. */
const REQUIRED_WITH: Record<string, Record<string, string>> = {
  target: { target_bytes: '1000' },
  attention: { crop_ratio: '1:1' },
};

describe('choices', () => {
  verifies(
    'compress.format.values',
    'compress.mode.values',
    'compress.mode.default',
    'compress.crop-gravity.values',
    'compress.crop-shape.values',
    'compress.flip.values',
    'compress.fit.values',
    'compress.watermark-position.values',
    'compress.metadata.values',
    'output.values',
  );
  for (const [name, { enum: values = [], default: standard }] of CHOICES) {
    it(`${name} is one of ${values.join(', ')}`, async () => {
      for (const value of values) assert.equal(read({ [name]: value, ...REQUIRED_WITH[value] })[name], value);
      for (const text of [values[0]!.toUpperCase(), `${values[0]} `, '']) await assertRefused(name, text);
      const { message } = await failureOf('invalid_parameter', () => read({ [name]: 'other' }));
      const [, listed = ''] = /^Expected one of (.+) for /.exec(message) ?? [];
      assert.deepEqual(listed.split(', ').sort(), [...values].sort(), 'and nothing else');
    });
    it(`${name} is ${standard} by default`, () => assert.equal(read({})[name], standard));
  }
});

describe('switches', () => {
  for (const name of SWITCHES) {
    it(`${name} is true or false, and false by default`, async () => {
      for (const text of ['true', '1']) assert.equal(read({ [name]: text })[name], true);
      for (const text of ['false', '0']) assert.equal(read({ [name]: text })[name], false);
      for (const text of ['yes', 'TRUE', '2', '']) await assertRefused(name, text);
      assert.equal(read({})[name], false);
    });
  }
});

/** Accepted texts, refused texts, default. */
const TEXTS: Record<string, { takes: string[]; refuses: string[]; standard?: string }> = {
  crop: {
    takes: ['0,0,1,1', '10,20,300,200'],
    refuses: ['0,0,0,1', '1,2,3', '1,2,3,4,5', '-1,0,5,5', '1.5,0,5,5', ''],
  },
  crop_ratio: { takes: ['16:9', '1:1', '1.91:1'], refuses: ['16', '16:', '16/9', '0:1', '1:0', '-1:1', ''] },
  focus: {
    takes: ['faces', '0,0', '1,1.0', '0.25,0.5'],
    refuses: ['face', 'centre', '0.5', '1.1,0', '-0.1,0', '0,0,0', '.5,0', ''],
  },
  border_color: {
    takes: ['#ffffff', '#A1b2C3', 'a1b2c3', 'transparent'],
    refuses: ['#fff', '#gggggg', 'white', ''],
    standard: '#ffffff',
  },
  watermark_color: { takes: ['#000000'], refuses: ['transparent', '#12345', 'red'], standard: '#ffffff' },
  background: { takes: ['#000000'], refuses: ['transparent', '#12345', 'red'], standard: '#ffffff' },
  watermark_outline: { takes: ['#000000'], refuses: ['transparent', 'red'] },
  watermark_text: { takes: ['x', 'ž'.repeat(200)], refuses: ['', 'ž'.repeat(201)] },
};

describe('texts', () => {
  verifies(
    'compress.crop.form',
    'compress.crop-ratio.form',
    'compress.border-color.form',
    'compress.border-color.default',
    'compress.watermark-color.form',
    'compress.watermark-color.default',
    'compress.watermark-outline.form',
    'compress.focus.form',
    'compress.background.form',
    'compress.background.default',
    'compress.watermark-text.length',
  );
  for (const [name, { takes, refuses, standard }] of Object.entries(TEXTS)) {
    it(`${name} accepts values in its format only`, async () => {
      for (const text of takes) assert.equal(read({ [name]: text })[name], text);
      for (const text of refuses) await assertRefused(name, text);
      assert.equal(read({})[name], standard);
    });
  }

  it('deliver_to is a web address', async () => {
    verifies('compress.deliver-to.form');
    const address = 'https://bucket.example.com/photo.webp?signature=abc';
    assert.equal(read({ deliver_to: address }).deliver_to, address);
    for (const text of ['photo.webp', 'ftp://example.com/x', ''])
      await failureOf('invalid_url', () => read({ deliver_to: text }));
  });
});

const PRINT_SIZES = ['print_width', 'print_height'];

describe('print sizes', () => {
  for (const name of PRINT_SIZES) {
    it(`${name} is a number of millimetres from 1 to 5000`, async () => {
      verifies('compress.print-size.bounds');
      for (const text of ['1', '50.8', '5000']) assert.equal(read({ [name]: text })[name], Number(text));
      for (const text of ['0.9', '5000.1', '1e2', 'NaN', '']) await assertRefused(name, text);
    });

    for (const other of ['width', 'height', 'percent']) {
      it(`${name} cannot be combined with ${other}`, async () => {
        verifies('compress.print-size.not-with-pixels');
        await failureOf('conflicting_parameters', () => read({ [name]: '100', [other]: '100' }));
      });
    }
  }
});

it('dpr is a number from 0.1 to 8', async () => {
  verifies('compress.dpr.bounds');
  for (const text of ['0.1', '1.5', '8']) assert.equal(read({ dpr: text }).dpr, Number(text));
  for (const text of ['0', '0.09', '8.1', '2x', '']) await assertRefused('dpr', text);
  assert.equal(read({}).dpr, 1);
});

it('an unknown parameter is rejected by name', async () => {
  verifies('compress.unknown-parameter');
  await assertRefused('qualty', '50');
});

it('every parameter of compress is tested here', () => {
  const named = [...INTEGERS, ...CHOICES].map(([name]) => name);
  assert.deepEqual(
    [...named, ...SWITCHES, ...Object.keys(TEXTS), ...PRINT_SIZES, 'deliver_to', 'dpr', 'filename'].sort(),
    Object.keys(declaration.shape).sort(),
  );
});
