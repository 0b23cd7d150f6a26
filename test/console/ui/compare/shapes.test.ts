import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeIn, sizesText } from '../../../../console/ui/compare/shapes.ts';

const LARGE = { label: 'Original', width: 5472, height: 3648 };

describe('two images of different sizes', () => {
  it('fill the same frame if their ratios are the same, apart from rounding', () => {
    assert.deepEqual(placeIn(LARGE, { width: 1024, height: 683 }), { left: 0, top: 0, width: 1, height: 1 });
  });

  it('are shown whole and centred if their ratios differ', () => {
    const frame = { width: 400, height: 200 };
    assert.deepEqual(placeIn(frame, { width: 50, height: 50 }), { left: 0.25, top: 0, width: 0.5, height: 1 });
    assert.deepEqual(placeIn(frame, { width: 800, height: 100 }), { left: 0, top: 0.375, width: 1, height: 0.25 });
  });

  it('are described in words', () => {
    assert.equal(sizesText(LARGE, { ...LARGE, label: 'Result' }), undefined);
    assert.equal(
      sizesText(LARGE, { label: 'Result', width: 1024, height: 683 }),
      'Original: 5,472 × 3,648 pixels, Result: 1,024 × 683 pixels. Both are shown at the same size. The zoom counts the pixels of the first.',
    );
    assert.match(sizesText(LARGE, { label: 'Result', width: 500, height: 500 })!, /Their shapes differ/);
  });
});
