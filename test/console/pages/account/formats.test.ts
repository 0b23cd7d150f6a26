import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatsMatching } from '../../../../console/pages/account/formats.ts';

const format = (id: string, name: string, extensions: string[], write = false) => ({
  ...{ id, name, extensions, write },
});
const FORMATS = [
  format('dng', 'Adobe DNG', ['dng']),
  format('webp', 'WebP', ['webp'], true),
  format('jpeg', 'JPEG', ['jpg'], true),
];

describe('finding a format', () => {
  const found = (wanted: string) => formatsMatching(FORMATS, wanted).map(({ id }) => id);

  it('lists the formats that are written first', () => assert.deepEqual(found(''), ['jpeg', 'webp', 'dng']));
  it('matches names and extensions, ignoring case', () => {
    assert.deepEqual(found('.JPG'), ['jpeg']);
    assert.deepEqual(found('adobe'), ['dng']);
    assert.deepEqual(found('adobe webp'), []);
  });
});
