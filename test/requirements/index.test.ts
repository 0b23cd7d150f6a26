import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifies } from '../support/verifies.ts';
import { CHAPTERS, isRequirementId, REQUIREMENTS, type RequirementId } from './index.ts';

describe('the manifest', () => {
  it('gives each id to one requirement only', () => {
    const ids = CHAPTERS.flatMap((chapter) => Object.keys(chapter));
    assert.ok(ids.length > 0);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
  });

  it('describes requirements with readable ids and full sentences', () => {
    for (const [id, { promise, section }] of REQUIREMENTS) {
      assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*([.][a-z0-9]+(-[a-z0-9]+)*)+$/);
      assert.match(promise, /[.]$/, id);
      assert.notEqual(section, '', id);
    }
  });

  it('rejects a mistyped id at compile time and at run time', () => {
    // @ts-expect-error: no such id
    const mistyped: RequirementId = 'compress.qualty';
    assert.equal(isRequirementId(mistyped), false);
    assert.throws(() => Reflect.apply(verifies, undefined, [mistyped]), /received "compress[.]qualty"/);
  });
});
