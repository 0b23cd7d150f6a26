import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertEditable } from './invariant.ts';
import { SOURCES } from './sources.ts';

describe('each place of a source can be given any address', () => {
  for (const [path, text] of Object.entries(SOURCES)) it(path, () => assert.ok(assertEditable(path, text) > 0));
});
