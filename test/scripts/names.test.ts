import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replacedNames } from '../../scripts/names/check.ts';

test('finds old prefixes of limits and replaced names in code', () => {
  assert.deepEqual(replacedNames('const MOST_BYTES = 5;\nclass Keeper {}'), [
    'Expected MAX_BYTES instead of MOST_BYTES.',
    'Expected a store instead of Keeper.',
  ]);
});

test('allows these words in comments, strings and longer names', () => {
  assert.deepEqual(
    replacedNames("// MOST_BYTES\n/* House */ const text = 'Keeper', ALMOST_ALL = `Story`, HousePrice = toString;"),
    [],
  );
});
