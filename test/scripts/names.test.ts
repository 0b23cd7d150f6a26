import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replacedNames } from '../../scripts/names/check.ts';

test('old prefixes of bounds and replaced names are found where code uses them', () => {
  assert.deepEqual(replacedNames('const MOST_BYTES = 5;\nclass Keeper {}'), [
    'Expected MAX_BYTES instead of MOST_BYTES.',
    'Expected a store instead of Keeper.',
  ]);
});

test('comments, strings and longer names may hold these words', () => {
  assert.deepEqual(
    replacedNames("// MOST_BYTES\n/* House */ const text = 'Keeper', ALMOST_ALL = `Story`, HousePrice = toString;"),
    [],
  );
});
