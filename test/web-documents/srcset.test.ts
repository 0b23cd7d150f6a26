import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSrcset } from '../../web-documents/srcset.ts';

/** Values of the attribute and their valid candidates: address, then descriptors. */
const CASES: readonly (readonly [value: string, ...candidates: string[]])[] = [
  // Nothing
  [''],
  [','],
  [',,,'],
  ['  '],
  [' , , '],
  // One address
  ['a', 'a'],
  [' a ', 'a'],
  ['\ta\n', 'a'],
  ['\fa\r', 'a'],
  ['\u00a0a', '\u00a0a'],
  ['\va', '\va'],
  ['a,', 'a'],
  ['a,,', 'a'],
  [',a', 'a'],
  ['a ,', 'a'],
  ['a , ', 'a'],
  ['a,\u00a0', 'a,\u00a0'],
  ['data:,a', 'data:,a'],
  ['data:,a,', 'data:,a'],
  ['data:,a 1x', 'data:,a 1x'],
  // Several
  ['a, b', 'a', 'b'],
  ['a,b', 'a,b'],
  ['a , b', 'a', 'b'],
  ['a 1x, b 2x', 'a 1x', 'b 2x'],
  ['a 1x,b 2x', 'a 1x', 'b 2x'],
  ['a 1x ,b 2x', 'a 1x', 'b 2x'],
  ['a,, b', 'a', 'b'],
  ['a 1x,, b 2x', 'a 1x', 'b 2x'],
  ['a, b (, c', 'a'],
  ['a, b (), c', 'a', 'c'],
  ['a, b ((), c', 'a', 'c'],
  ['a 2q, b 2x', 'b 2x'],
  // Parentheses in descriptors
  ['a ('],
  ['a (,b'],
  ['a ( b) 1x'],
  ['a (1x'],
  ['a foo(bar), b', 'b'],
  ['a foo(bar, baz), b 2x', 'b 2x'],
  // Widths
  ['a 1w', 'a 1w'],
  ['a 001w', 'a 001w'],
  ['a 0w'],
  ['a -1w'],
  ['a +1w'],
  ['a 1.0w'],
  ['a 1e0w'],
  ['a 1W'],
  ['a w'],
  ['a 1'],
  ['a 1ww'],
  ['a 1 w'],
  ['a \u00a01w'],
  ['a \u0661w'],
  ['a 1w 1w'],
  ['a 1w 1x'],
  ['a 1x 1w'],
  ['a 1w foo'],
  ['a 99999999999999999999w', 'a 99999999999999999999w'],
  // Densities
  ['a 0x', 'a 0x'],
  ['a -0x', 'a -0x'],
  ['a 1x', 'a 1x'],
  ['a .5x', 'a .5x'],
  ['a -.0x', 'a -.0x'],
  ['a 1.5x', 'a 1.5x'],
  ['a 1e2x', 'a 1e2x'],
  ['a 1E2x', 'a 1E2x'],
  ['a 1e+2x', 'a 1e+2x'],
  ['a 1.5e-1x', 'a 1.5e-1x'],
  ['a 1.x'],
  ['a .x'],
  ['a x'],
  ['a -1x'],
  ['a +1x'],
  ['a 1ex'],
  ['a e1x'],
  ['a 1e2.0x'],
  ['a 1X'],
  ['a 0x1x'],
  ['a Infinityx'],
  ['a NaNx'],
  ['a 1e999x'],
  ['a 1x 1x'],
  ['a \u22121x'],
  // Heights, reserved for future use
  ['a 1w 1h', 'a 1w 1h'],
  ['a 1h 1w', 'a 1h 1w'],
  ['a  1w\t1h ', 'a 1w 1h'],
  ['a 1h'],
  ['a 1h 1x'],
  ['a 1x 1h'],
  ['a 0h 1w'],
  ['a 1h 1h 1w'],
  ['a 1.5h 1w'],
];

describe('a srcset', () => {
  for (const [value, ...candidates] of CASES)
    it(`${JSON.stringify(value)} has ${candidates.length} candidates`, () => {
      assert.deepEqual(
        parseSrcset(value).map(({ start, end, descriptor }) =>
          [value.slice(start, end), ...(descriptor === null ? [] : [descriptor])].join(' '),
        ),
        candidates,
      );
    });

  it('reports widths and densities', () => {
    assert.deepEqual(
      parseSrcset('a 800w, b 1.5x, c').map(({ width, density }) => [width, density]),
      [
        [800, null],
        [null, 1.5],
        [null, null],
      ],
    );
  });
});
