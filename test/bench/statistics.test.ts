import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { geometricMean, median, percentile, spread } from '../../bench/statistics.ts';

describe('bench statistics', () => {
  test('the median is the middle value, or the mean of the two middle values', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([9, 1, 5, 6]), 5.5);
    assert.ok(Number.isNaN(median([])));
  });

  test('a percentile is a measured value, by nearest rank', () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    assert.equal(percentile(values, 0.95), 19);
    assert.equal(percentile(values, 1), 20);
    assert.equal(percentile(values, 0), 1);
    assert.equal(percentile([7], 0.95), 7);
  });

  test('the spread is a fraction of the median', () => {
    assert.equal(spread([8, 10, 12]), 0.4);
    assert.equal(spread([5]), 0);
  });

  test('the geometric mean of reciprocal ratios is 1', () => {
    assert.ok(Math.abs(geometricMean([0.5, 2]) - 1) < 1e-12);
    assert.ok(Math.abs(geometricMean([4, 9]) - 6) < 1e-12);
  });
});
