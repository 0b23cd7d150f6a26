import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonLimits, JsonReader, MAX_JSON_DEPTH } from '../../../server/http/json-reader.ts';
import { failureOf } from '../../support/failure.ts';
import { Random } from '../../support/random.ts';

const LONG: JsonLimits = { longText: { field: 'urls', maxBytes: 1_000_000 } };

/** Reads a text in chunks whose sizes cycle through `sizes`. */
function read(text: string | Buffer, limits: JsonLimits = LONG, sizes: readonly number[] = [65_536]) {
  const reader = new JsonReader(limits);
  const bytes = Buffer.from(text);
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    reader.push(bytes.subarray(start, start + size));
    start += size;
  }
  return reader.finish();
}

describe('the JSON reader', () => {
  const TEXTS = {
    plain: JSON.stringify({ source: 'list', urls: 'https://example.com/a\n'.repeat(3000) }),
    escapes: `{"urls":"${'\\n\\u0041\\ud83d\\ude00\\\\\\"'.repeat(3000)}","more":[1,{"a":"\\n"}]}`,
    'characters of many bytes': JSON.stringify({ urls: '\ufeffaé中😀'.repeat(5000), é: ['中'] }),
    'no long text': '  {"a" : [ 1, -2.5e3, "x\\"y", {"b": null}, true ] } ',
    'a text alone': '"a"',
    'a number alone': '12',
  };

  it('reads the same as JSON.parse, wherever the body is split', () => {
    for (const [name, text] of Object.entries(TEXTS)) {
      const whole = JSON.parse(text);
      for (const sizes of [[65_536], [1000], [7, 1, 64], [1]])
        assert.deepEqual(read(text, LONG, sizes), { value: whole }, `${name} in pieces of ${sizes}`);
    }
  });

  it('rejects everything that JSON.parse rejects', () => {
    const long = 'a'.repeat(20_000);
    const wrong = ['', '{', '{"urls":', `{"urls":"${long}`, `{"urls":"${long}\\"}`, `{"urls":"${long}\n"}`];
    wrong.push(
      `{"urls":"${long}\\x"}`,
      `{"urls":"${long}\\u12"}`,
      `{"urls":"${long}"x}`,
      `{"urls":"${long}":1}`,
      '{"a":1}}',
    );
    for (const text of wrong) {
      assert.throws(() => JSON.parse(text), text.slice(0, 20));
      for (const sizes of [[65_536], [1]]) assert.equal(read(text, LONG, sizes), undefined, text.slice(0, 20));
    }
    const notUtf8 = Buffer.from(`{"urls":"${long}é"}`);
    for (const at of [3, 10_000, notUtf8.length - 3]) {
      const bytes = Buffer.from(notUtf8);
      bytes[at] = 0xff;
      assert.equal(read(bytes), undefined);
    }
  });

  it('agrees with JSON.parse after any corruption', () => {
    const random = new Random(5);
    for (let turn = 0; turn < 3000; turn += 1) {
      const bytes = Buffer.from(TEXTS['no long text'] + random.pick(['', ' ', '{"urls":"a"}']));
      bytes[random.integer(bytes.length)] = random.integer(128);
      let expected: { value: unknown } | undefined;
      try {
        expected = { value: JSON.parse(bytes.toString()) };
      } catch {
        expected = undefined;
      }
      assert.deepEqual(read(bytes, {}, [1 + random.integer(20)]), expected, bytes.toString());
    }
  });

  it('stops at the first byte beyond a limit', async () => {
    const lists = (depth: number) => '['.repeat(depth);
    const reader = new JsonReader();
    reader.push(Buffer.from(lists(MAX_JSON_DEPTH)));
    await failureOf('invalid_request', () => reader.push(Buffer.from('[')));
    const values = (count: number) => `[${'0,'.repeat(count - 2)}0]`;
    assert.ok(read(values(100), { maxValues: 100 }));
    await failureOf('invalid_request', () => read(values(101), { maxValues: 100 }));
    const sized = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`;
    assert.ok(read(sized(1000), { maxBytes: 1000 }));
    await failureOf('invalid_request', () => read(sized(1001), { maxBytes: 1000 }));
  });

  it('allows a long text in one field only, up to its limit', async () => {
    const limits: JsonLimits = { maxBytes: 1000, longText: { field: 'urls', maxBytes: 100_000 } };
    const field = (name: string, bytes: number) => `{"${name}":"${'a'.repeat(bytes)}"}`;
    for (const sizes of [[65_536], [999], [1]]) {
      assert.deepEqual(read(field('urls', 100_000), limits, sizes), { value: { urls: 'a'.repeat(100_000) } });
      for (const text of [
        field('urls', 100_001),
        field('name', 50_000),
        `{"${'k'.repeat(50_000)}":1}`,
        `["${'a'.repeat(50_000)}"]`,
        `{"urls":["${'a'.repeat(50_000)}"]}`,
      ])
        await failureOf('invalid_request', () => read(text, limits, sizes));
    }
  });

  it('keeps a text that looks like its own placeholder', () => {
    const id = '00000000-0000-4000-8000-000000000000';
    assert.deepEqual(read(`{"a":"${id}","urls":"${'a'.repeat(20_000)}"}`), {
      value: { a: id, urls: 'a'.repeat(20_000) },
    });
  });
});
