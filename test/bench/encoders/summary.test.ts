import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesAt, type Sample, summarise } from '../../../bench/encoders/summary.ts';

const sample = (quality: number, bytes: number, similarity: number, change: Partial<Sample> = {}): Sample => ({
  image: 'photograph',
  quality,
  ms: 10,
  bytes,
  similarity,
  exact: false,
  ...change,
});

const CURVE = [sample(50, 1000, 0.9), sample(75, 2000, 0.99), sample(90, 4000, 0.999)];

describe('bytes at a given similarity', () => {
  test('are the measured bytes at a measured similarity', () => {
    for (const { bytes, similarity } of CURVE) assert.ok(Math.abs(bytesAt(CURVE, similarity)! - bytes) < 1e-6);
  });

  test('are interpolated logarithmically between two measurements', () => {
    assert.ok(Math.abs(bytesAt(CURVE, 1 - Math.sqrt(0.1 * 0.01))! - Math.sqrt(1000 * 2000)) < 1e-6);
  });

  test('are unknown outside the measured range', () => {
    assert.equal(bytesAt(CURVE, 0.8), undefined);
    assert.equal(bytesAt(CURVE, 0.9999), undefined);
  });
});

describe('the summary of encoders', () => {
  const half = CURVE.map((each) => ({ ...each, bytes: each.bytes / 2, ms: 5 }));

  test('compares sizes at equal similarity, not at equal quality', () => {
    // The same curve with its quality numbers shifted by one sample.
    const shifted = [sample(50, 2000, 0.99), sample(75, 4000, 0.999)];
    const [, other] = summarise(
      [
        { name: 'a', chosen: true, samples: CURVE },
        { name: 'b', samples: shifted },
      ],
      false,
    );
    assert.ok(Math.abs(other!.relativeBytes! - 1) < 1e-6);
  });

  test('names encoders that are both faster and smaller than the chosen one', () => {
    const [chosen, other] = summarise(
      [
        { name: 'a', chosen: true, samples: CURVE },
        { name: 'b', samples: half },
      ],
      false,
    );
    assert.ok(Math.abs(other!.relativeBytes! - 0.5) < 1e-6);
    assert.ok(Math.abs(other!.ms - 5) < 1e-9);
    assert.deepEqual(chosen!.beatenBy, ['b']);
  });

  test('an encoder that is only faster or only smaller does not beat the chosen one', () => {
    const faster = CURVE.map((each) => ({ ...each, ms: 1, bytes: each.bytes * 1.1 }));
    const smaller = CURVE.map((each) => ({ ...each, ms: 20, bytes: each.bytes / 2 }));
    const [chosen] = summarise(
      [
        { name: 'a', chosen: true, samples: CURVE },
        { name: 'b', samples: faster },
        { name: 'c', samples: smaller },
      ],
      false,
    );
    assert.deepEqual(chosen!.beatenBy, []);
  });

  test('a lossless encoding that loses pixels beats no other', () => {
    const exact = [sample(100, 1000, 1, { exact: true })];
    const broken = [sample(100, 100, 1, { ms: 1 })];
    const [chosen, other] = summarise(
      [
        { name: 'a', chosen: true, samples: exact },
        { name: 'b', samples: broken },
      ],
      true,
    );
    assert.equal(other!.exact, false);
    assert.deepEqual(chosen!.beatenBy, []);
  });
});
