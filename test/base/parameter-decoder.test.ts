import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { parameterSchemas } from '../../base/parameter-schema.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { queryPairs } from '../../server/http/query.ts';
import { deliveryParams } from '../../server/results/output.ts';
import { failureOf } from '../support/failure.ts';

const declaration = z.strictObject({ ...sourceParams.shape, ...compressParams.shape, ...deliveryParams.shape });
const decoder = createDecoder(declaration);

const decode = (query: string) => decoder.complete(decoder.fromText(queryPairs(query)));
const refuse = (query: string) => failureOf('invalid_parameter', () => decode(query));

describe('every declared parameter', () => {
  const schemas = [...parameterSchemas(declaration)];

  it('is covered by the tests below', () => {
    assert.equal(schemas.length, Object.keys(declaration.shape).length);
    assert.ok(schemas.every(([, { type }]) => ['integer', 'number', 'boolean', 'string'].includes(type)));
  });

  for (const [name, schema] of schemas) {
    const { type, minimum = 0, maximum = 0, minLength = 0, maxLength } = schema;
    const value = (text: string) => Reflect.get(decode(`${name}=${encodeURIComponent(text)}`), name);
    const refused = async (text: string) => {
      const { param, message } = await refuse(`${name}=${encodeURIComponent(text)}`);
      assert.equal(param, name);
      assert.match(message, new RegExp(`^Expected .+ for ${name} but received .+[.]$`));
    };

    if (type === 'integer' || type === 'number') {
      it(`${name} accepts ${minimum} and ${maximum} and rejects values beyond`, async () => {
        assert.equal(value(`${minimum}`), minimum);
        assert.equal(value(`${maximum}`), maximum);
        await refused(`${minimum - 1}`);
        await refused(`${maximum + 1}`);
      });
      it(`${name} accepts plain numbers only`, async () => {
        for (const text of [
          '',
          ' ',
          '0x10',
          '1e3',
          'NaN',
          'Infinity',
          '+80',
          ' 80',
          '80 ',
          '80px',
          '--1',
          '.5',
          '5.',
          '٨٠',
        ])
          await refused(text);
        if (type === 'integer') await refused('80.5');
        else assert.equal(value(`${minimum + 0.5}`), minimum + 0.5);
      });
    } else if (type === 'boolean') {
      it(`${name} accepts true, false, 1 and 0`, async () => {
        assert.deepEqual(['true', '1', 'false', '0'].map(value), [true, true, false, false]);
        for (const text of ['', 'TRUE', 'yes', '2', 'on']) await refused(text);
      });
    } else if (schema.enum) {
      it(`${name} accepts each of its values`, async () => {
        for (const text of schema.enum ?? []) assert.equal(value(text), text);
        for (const text of ['', 'nonsense', `${schema.enum?.[0]} `]) await refused(text);
      });
    } else if (schema.format === 'uri') {
      it(`${name} accepts an http or https address`, async () => {
        const longest = `https://example.com/${'a'.repeat((maxLength ?? 0) - 20)}`;
        assert.equal(value(longest), longest);
        for (const text of ['', 'example.com', 'ftp://example.com/', 'javascript:alert(1)', `${longest}a`]) {
          const failure = await failureOf('invalid_url', () => value(text));
          assert.equal(failure.param, name);
          assert.doesNotMatch(failure.message, /example|alert/);
        }
      });
    } else if (schema.pattern) {
      it(`${name} accepts its example and describes its format`, async () => {
        const example = String(schema.examples?.[0]);
        assert.equal(value(example), example);
        for (const text of ['', 'nonsense', `${example}\n`, ` ${example}`]) await refused(text);
        assert.ok((await refuse(`${name}=nonsense`)).message.includes(String(schema['x-form'])));
      });
    } else {
      it(`${name} accepts text of ${minLength} to ${maxLength} characters`, async () => {
        assert.equal(value('ž'.repeat(maxLength ?? 0)), 'ž'.repeat(maxLength ?? 0));
        await refused('ž'.repeat((maxLength ?? 0) + 1));
        if (minLength > 0) await refused('');
        else assert.equal(value(''), '');
      });
    }
  }
});

describe('the decoder', () => {
  it('fills in the declared defaults for an empty query', () => {
    assert.deepEqual(decode(''), declaration.parse({}));
    assert.equal(decode('').quality, 75);
  });

  it('explains what it expects', async () => {
    const cases: Record<string, string> = {
      'quality=101': 'Expected an integer from 1 to 100 for quality but received "101".',
      'print_width=0.5': 'Expected a number from 1 to 5000 for print_width but received "0.5".',
      'enlarge=yes': 'Expected true or false for enlarge but received "yes".',
      'flip=x': 'Expected one of none, h, v, hv for flip but received "x".',
      'watermark_text=': 'Expected text of 1 to 200 characters for watermark_text but received "".',
      'quality=80&quality=80': 'Expected one value for quality but received several.',
    };
    for (const [query, message] of Object.entries(cases)) assert.equal((await refuse(query)).message, message);
  });

  it('names an unknown parameter and suggests a similar one', async () => {
    const failure = await refuse('qualty=50');
    assert.equal(failure.param, 'qualty');
    assert.equal(failure.message, 'Expected the name of a parameter for the request but received "qualty".');
    assert.equal(failure.hint, 'Did you mean quality?');
    assert.match((await refuse('zzzzzz=1')).hint!, /^Use one of filename, page, .*, or remove it[.]$/);
    for (const name of ['__proto__', 'constructor', 'toString', '']) await refuse(`${name}=1`);
  });

  it('decodes a query as HTML forms encode it and rejects an invalid encoding', async () => {
    assert.equal(decode('watermark_text=a+b%2Bc%20%C2%A9').watermark_text, 'a b+c ©');
    assert.equal(decode('watermark_text=a=b&&').watermark_text, 'a=b');
    await failureOf('invalid_request', () => decode('watermark_text=%zz'));
    await failureOf('invalid_request', () => decode('watermark_text=%ff'));
  });

  it('decodes JSON values by their types', async () => {
    assert.equal(decoder.complete(decoder.fromJson({ quality: 80, enlarge: true })).quality, 80);
    for (const values of [{ quality: '80' }, { enlarge: 1 }, { quality: null }, { quality: [80] }, { quality: 1.5 }])
      await failureOf('invalid_parameter', () => decoder.fromJson(values));
  });

  it('prefers the last source', () => {
    const body = decoder.fromText([
      ['quality', '10'],
      ['blur', '5'],
    ]);
    const { quality, blur } = decoder.complete(body, decoder.fromText([['quality', '20']]));
    assert.deepEqual([quality, blur], [20, 5]);
  });

  it('rejects a request without a required parameter', async () => {
    const required = createDecoder(z.strictObject({ size: z.int().min(1) }));
    const failure = await failureOf('invalid_parameter', () => required.complete(required.fromText([])));
    assert.equal(failure.message, 'Expected an integer of at least 1 for size but received nothing.');
  });
});
