import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCitations } from '../../../scripts/requirements/citations.ts';

const proved = (source: string) => findCitations('some.test.ts', source).proved.map(({ id }) => id);
const skipped = (source: string) => findCitations('some.test.ts', source).skipped.map(({ id }) => id);

describe('findCitations', () => {
  it('reads every id of a call over several lines, with its line', () => {
    const source = "it('works', () => {\n  verifies(\n    'a.one',\n    'a.two', // and\n  );\n});\n";
    assert.deepEqual(findCitations('some.test.ts', source), {
      proved: [
        { id: 'a.one', line: 3 },
        { id: 'a.two', line: 4 },
      ],
      skipped: [],
      faults: [],
    });
  });

  for (const [what, source] of [
    ['it', "it('x', () => verifies('a.one'))"],
    ['test', "test('x', async () => { verifies('a.one'); })"],
    ['a suite', "describe('x', () => { verifies('a.one'); })"],
    ['a subtest', "t.test('x', () => { verifies('a.one'); })"],
    ['a test in a loop', "for (const n of [1, 2]) it(String(n), () => { verifies('a.one'); })"],
    ['a test with options', "it('x', { timeout: 5 }, () => { verifies('a.one'); })"],
    ['a test that skips where it must', "it('x', { skip: noCorpus }, () => { verifies('a.one'); })"],
    ['a test with skip: false', "it('x', { skip: false }, () => { verifies('a.one'); })"],
    ['it.only', "it.only('x', () => { verifies('a.one'); })"],
  ] as const) {
    it(`counts ${what}`, () => assert.deepEqual(proved(source), ['a.one']));
  }

  for (const [what, source] of [
    ['it.skip', "it.skip('x', () => { verifies('a.one'); })"],
    ['test.todo', "test.todo('x', () => { verifies('a.one'); })"],
    ['skip: true', "it('x', { timeout: 5, skip: true }, () => { verifies('a.one'); })"],
    ['a skip with its reason', "it('x', { skip: 'later' }, () => { verifies('a.one'); })"],
    ['todo: true', "it('x', { todo: true }, () => { verifies('a.one'); })"],
    ['a test of a skipped suite', "describe.skip('x', () => { it('y', () => { verifies('a.one'); }); })"],
  ] as const) {
    it(`does not count ${what}`, () => {
      assert.deepEqual(proved(source), []);
      assert.deepEqual(skipped(source), ['a.one']);
    });
  }

  it('counts a test that follows a skipped one', () => {
    const source = "it.skip('x', () => { verifies('a.one'); }); it('y', () => { verifies('a.two'); });";
    assert.deepEqual(proved(source), ['a.two']);
  });

  it('ignores comments, strings and other functions', () => {
    const source =
      "it('x', () => {\n  // verifies('a.one')\n  const text = \"verifies('a.two')\";\n  other.verifies('a.three');\n});";
    assert.deepEqual(findCitations('some.test.ts', source), { proved: [], skipped: [], faults: [] });
  });

  it('rejects what it cannot parse', () => {
    const source = "it('x', () => {\n  verifies(id, 'a.one');\n  verifies(...ids);\n});\nverifies('a.two');";
    assert.deepEqual(findCitations('some.test.ts', source), {
      proved: [{ id: 'a.one', line: 2 }],
      skipped: [],
      faults: [
        { line: 2, message: 'Expected a string literal but received id.' },
        { line: 3, message: 'Expected a string literal but received ...ids.' },
        { line: 5, message: 'Expected verifies inside a test or a suite.' },
      ],
    });
  });
});
