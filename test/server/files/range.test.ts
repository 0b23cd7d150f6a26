import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRange } from '../../../server/files/range.ts';

describe('parseRange of 100 bytes', () => {
  const cases: [string, ReturnType<typeof parseRange>][] = [
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-99', { start: 0, end: 99 }],
    ['bytes=10-', { start: 10, end: 99 }],
    ['bytes=99-200', { start: 99, end: 99 }],
    ['bytes=-1', { start: 99, end: 99 }],
    ['bytes=-100', { start: 0, end: 99 }],
    ['bytes=-200', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', undefined],
    ['bytes=0-1,3-4', undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['items=0-1', undefined],
    ['', undefined],
  ];
  for (const [header, range] of cases) it(`reads "${header}"`, () => assert.deepEqual(parseRange(header, 100), range));
});
