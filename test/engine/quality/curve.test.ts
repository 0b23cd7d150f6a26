import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CurvePoint, distanceAt, logit, qualityAt, qualityOf } from '../../../engine/quality/curve.ts';

/** A point of an image whose sizes and distances are straight lines over the logit. */
const point = (quality: number): CurvePoint => ({
  quality,
  bytes: 10_000 * Math.exp(0.5 * logit(quality)),
  distance: Math.exp(-0.4 * logit(quality)),
});

describe('the quality curve of an image', () => {
  it('converts a logit back to the quality', () => {
    for (const quality of [1, 30, 50, 99, 100]) assert.ok(Math.abs(qualityOf(logit(quality)) - quality) < 1e-9);
  });

  it('predicts the distance of a size and the quality of a distance, between and beyond known points', () => {
    for (const known of [
      [point(60), point(80)],
      [point(40), point(70), point(75)],
    ])
      for (const quality of [30, 65, 90]) {
        const { bytes, distance } = point(quality);
        assert.ok(Math.abs(distanceAt(known, bytes) / distance - 1) < 1e-9, `${quality}`);
        const found = qualityAt(known, distance, { min: 1, max: 100 });
        assert.ok(found === quality || found === quality + 1, `${found} instead of ${quality}`);
      }
  });

  it('uses the default slope after one encoding, and when two hardly differ', () => {
    const one = point(70);
    const { distance } = one;
    const near = { quality: 71, bytes: one.bytes + 1, distance: distance * 1.5 };
    for (const known of [[one], [one, near], [near, one]])
      assert.ok(distanceAt(known, one.bytes * 2) < distance, 'more bytes are less far away');
  });

  it('stays within the quality limits, also for a distance of 0', () => {
    assert.equal(qualityAt([point(60), point(80)], 0, { min: 25, max: 95 }), 95);
    assert.equal(qualityAt([point(60), point(80)], 1000, { min: 25, max: 95 }), 25);
    assert.equal(qualityAt([{ quality: 60, bytes: 100, distance: 0 }], 1, { min: 25, max: 95 }), 25);
  });
});
