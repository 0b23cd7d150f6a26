import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonErrorPlace } from '../../base/json-error.ts';

/** Texts that are no JSON, with `^` before the first wrong character. */
const WRONG = [
  '^',
  '  ^',
  '^x',
  '{^',
  '[^',
  '[1,^]',
  '[1 ^2]',
  '[^,]',
  '{"a"^}',
  '{"a":^}',
  '{"a":1,^}',
  '{^a: 1}',
  "{^'a': 1}",
  '{"a": ^x}',
  '{"a": ^01}',
  '{"a": ^.5}',
  '{"a": ^truer}',
  '{"a": ^NaN}',
  '{"a": ^"b}',
  '{"a": ^"b\\x"}',
  '{"a": ^"tab\there"}',
  '{"a": 1 ^"b": 2}',
  '{"a": 1^]',
  '[1^}',
  '{} ^{}',
  '{"a": {"b": [1, {"c": null}]}}^}',
  '{\n  "a": 1,\n  ^// comment\n}',
  '{"a": 1,\r\n ^}',
];

describe('the place of an error in JSON', () => {
  for (const marked of WRONG)
    it(`is found in ${JSON.stringify(marked)}`, () => {
      const text = marked.replace('^', '');
      assert.throws(() => JSON.parse(text), SyntaxError);
      const before = marked.slice(0, marked.indexOf('^')).split('\n');
      assert.equal(jsonErrorPlace(text), `line ${before.length}, column ${before.at(-1)!.length + 1}`);
    });

  it('agrees with the position that JSON.parse names', () => {
    const valid = '{"a": [1, -2.5e3, "x\\u00e9", true, null, {}, []], "b": {"c": "d"}}';
    let compared = 0;
    for (let at = 0; at < valid.length; at += 1)
      for (const changed of ['', '#', ',', '"']) {
        const text = valid.slice(0, at) + changed + valid.slice(at + 1);
        const message = messageOf(text);
        const position = /position (\d+)/.exec(message)?.[1];
        // Of a wrong string, escape or number JSON.parse names a character in it, or the end of the text.
        if (position === undefined || /string|escape|number|exponent|fraction/i.test(message)) continue;
        assert.equal(jsonErrorPlace(text), `line 1, column ${Number(position) + 1}`, text);
        compared += 1;
      }
    assert.ok(compared > 20, String(compared));
  });
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
