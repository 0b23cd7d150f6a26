import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replacedNames, replacedWords } from '../../scripts/names/check.ts';

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

test('finds replaced words in any part of a name, but not in a term of a standard', () => {
  assert.deepEqual(replacedWords('const firstPicture = 1, PICTURES = 2;'), [
    'Expected image instead of picture in firstPicture.',
    'Expected image instead of picture in PICTURES.',
  ]);
  assert.deepEqual(replacedWords("// a picture\nconst multiPictureJpeg = '<picture>', toImage = 1;"), []);
});
