import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseViewBox, sizeOf } from '../../../codecs/svg/size.ts';

const size = (attributes: Parameters<typeof sizeOf>[0]) => {
  const found = sizeOf(attributes);
  return found && [found.width, found.height];
};
const VIEW_BOX = '-10 5 100 50';

test('reads width and height in any unit', () => {
  for (const [width, pixels] of [
    ['200', 200],
    [' 200px ', 200],
    ['+2e2', 200],
    ['.5in', 48],
    ['72pt', 96],
    ['6pc', 96],
    ['2.54cm', 96],
    ['25.4mm', 96],
    ['101.6Q', 96],
    ['2em', 32],
    ['2rem', 32],
    ['2ex', 16],
    ['0', 0],
  ] as const) {
    assert.deepEqual(size({ width, height: '7', viewBox: VIEW_BOX }), [pixels, 7], width);
  }
});

test('ignores what is not a length', () => {
  for (const width of ['', 'auto', '50%', '-5', '1 2', '5furlong', 'NaN', '0x10', '1e', `${' '.repeat(1000)}5`]) {
    assert.deepEqual(size({ width, viewBox: VIEW_BOX }), [100, 50], width);
  }
});

test('computes the missing side from the ratio of the view box', () => {
  assert.deepEqual(size({ width: '200', viewBox: VIEW_BOX }), [200, 100]);
  assert.deepEqual(size({ height: '200', viewBox: VIEW_BOX }), [400, 200]);
  assert.deepEqual(size({ width: '200', height: '100%' }), [200, 150]);
  assert.deepEqual(size({ height: '200' }), [300, 200]);
});

test('uses the view box as the size, and leaves it to the content without one', () => {
  assert.deepEqual(size({ viewBox: VIEW_BOX }), [100, 50]);
  assert.equal(size({}), undefined);
  assert.equal(size({ width: '100%', height: '100%' }), undefined);
});

test('uses style sheets before attributes', () => {
  assert.deepEqual(
    size({ width: '5', height: '6', style: 'max-width:1px; WIDTH : 30px !important;height:15pt' }),
    [30, 20],
  );
  assert.deepEqual(size({ width: '5', height: '6', style: 'width:100%' }), [5, 6]);
});

test('reads view boxes', () => {
  for (const viewBox of ['0 0 100 50', '0,0,100,50', ' 0 , 0\n100 ,50 ', '-1e2 -.5 +100. 5e1']) {
    assert.deepEqual(parseViewBox(viewBox), { width: 100, height: 50 }, viewBox);
  }
  for (const viewBox of ['', '0 0 100', '0 0 0 50', '0 0 -100 50', '0 0 a b', '0,,0 100 50', '0 0 100 50 1']) {
    assert.equal(parseViewBox(viewBox), undefined, viewBox);
  }
});

test('limits sizes that are too large', () => {
  assert.deepEqual(size({ width: '1e300', height: '1e30in' }), [2 ** 31 - 1, 2 ** 31 - 1]);
  assert.deepEqual(size({ viewBox: '0 0 1e39 1' }), [2 ** 31 - 1, 1]);
});
