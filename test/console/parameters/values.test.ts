import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDecoder } from '../../../base/parameter-decoder.ts';
import { declarations } from '../../../console/declarations/declarations.ts';
import {
  fromQuery,
  readValue,
  toQuery,
  validationError,
  validationErrors,
  withValue,
} from '../../../console/parameters/values.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import type { Parameter } from '../../../server/console/declaration-types.ts';

const compress = declarations.operations.find(({ id }) => id === 'compress')!.parameters;
const parameter = (name: string): Parameter => compress.find((one) => one.name === name)!;

describe('values of a form', () => {
  it('contain only what differs from the default', () => {
    const set = withValue({}, parameter('quality'), 60);
    assert.deepEqual(set, { quality: 60 });
    assert.deepEqual(withValue(set, parameter('quality'), 75), {});
    assert.deepEqual(withValue(set, parameter('quality'), undefined), {});
  });

  it('contain a default that differs from no value', () => {
    assert.deepEqual(withValue({}, parameter('dpi'), 300), { dpi: 300 });
    const { parameters } = declarations.operations.find(({ id }) => id === 'id-photo')!;
    const background = parameters.find(({ name }) => name === 'background')!;
    assert.deepEqual(withValue({}, background, '#ffffff'), { background: '#ffffff' });
  });

  it('keep a text that is invalid for the type', () => {
    assert.equal(readValue(parameter('quality'), '60'), 60);
    assert.equal(readValue(parameter('quality'), '6o'), '6o');
    assert.equal(readValue(parameter('print_width'), '1.5'), 1.5);
    assert.equal(readValue(parameter('enlarge'), 'true'), true);
  });

  it('read lists line by line, and numbers if the example has numbers', () => {
    const widths: Parameter = { name: 'widths', type: 'array', description: '', example: [480, 960] };
    assert.deepEqual(readValue(widths, '320\n 640, 960'), [320, 640, 960]);
    assert.deepEqual(readValue({ ...widths, example: ['*.png'] }, 'a/*\nb'), ['a/*', 'b']);
  });

  it('are restored from an address, without unknown parameters', () => {
    const values = { quality: 60, format: 'webp', enlarge: true, crop: '1,2,3,4' };
    const query = new URLSearchParams({ ...toQuery(values), other: '1' });
    assert.deepEqual(fromQuery(compress, query), values);
  });

  it('are validated with the messages of the service', () => {
    const decoder = createDecoder(compressParams);
    for (const [name, text] of Object.entries({
      quality: '101',
      width: 'wide',
      format: 'doc',
      crop: '1,2',
      border_color: 'red',
      print_width: '0',
      watermark_text: '',
      enlarge: 'maybe',
      watermark_position: 'tl,',
    })) {
      const value = readValue(parameter(name), text);
      const said = validationError(parameter(name), value);
      assert.throws(
        () => decoder.fromJson({ [name]: value }),
        (error: Error) => {
          assert.equal(said, error.message);
          return true;
        },
      );
    }
    assert.deepEqual(validationErrors(compress, { quality: 60, crop: '1,2,3,4', format: 'webp', score: true }), {});
  });

  it('may be the example of each parameter', () => {
    for (const { id, parameters } of declarations.operations)
      for (const one of parameters) assert.equal(validationError(one, one.example), undefined, `${id} ${one.name}`);
  });
});
