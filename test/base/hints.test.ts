import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure, STATUS_BY_CODE, withHint } from '../../base/failure.ts';
import { HINTS, hintOf } from '../../base/hints.ts';

describe('hints', () => {
  it('are sentences for every error code', () => {
    assert.deepEqual(Object.keys(HINTS).sort(), Object.keys(STATUS_BY_CODE).sort());
    for (const [code, hint] of Object.entries(HINTS)) assert.match(hint, /^[A-Z].+(?:[.]|pull)$/, code);
  });

  it('of a failure come before those of its code, in this thread and after a message to another', () => {
    const details = { hint: 'Did you mean quality?' };
    const failure = new Failure('invalid_parameter', 'Expected quality.', details);
    for (const each of [failure, Failure.fromRecord(structuredClone(failure.toRecord()))]) {
      assert.equal(hintOf(each), 'Did you mean quality?');
      assert.equal(withHint(each), 'Expected quality. Did you mean quality?');
    }
    const plain = Failure.fromRecord(structuredClone(new Failure('invalid_mask', 'Expected a mask.').toRecord()));
    assert.equal(hintOf(plain), HINTS.invalid_mask);
    assert.equal(withHint(plain), 'Expected a mask.');
  });
});
