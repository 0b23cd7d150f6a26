import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Measurement } from '../../bench/contenders/contender.ts';
import { addRatios, meansOf, sumUp } from '../../bench/results.ts';

const measurement = (change: Partial<Measurement>): Measurement => ({
  versions: {},
  latenciesMs: [10],
  images: 10,
  elapsedMs: 1000,
  bytesOut: 500,
  memory: { ready: 100, peak: 200 },
  ...change,
});

const figure = (workload: string, contender: string, imagesPerSecond: number) => ({
  workload,
  title: workload,
  contender,
  values: { ...sumUp([measurement({ images: imagesPerSecond })], null)! },
});

describe('the results summary', () => {
  test('takes medians over the rounds, and latencies from all rounds', () => {
    const rounds = [
      measurement({ images: 30, latenciesMs: [1, 2], memory: { ready: 1, peak: 9 } }),
      measurement({ images: 10, latenciesMs: [3, 4], memory: { ready: 3, peak: 5 } }),
      measurement({ images: 20, latenciesMs: [100], memory: { ready: 2, peak: 6 } }),
    ];
    assert.deepEqual(sumUp(rounds, { similarity: 0.9, psnr: 40 }), {
      imagesPerSecond: 20,
      spread: 1,
      medianMs: 3,
      p95Ms: 100,
      bytesOut: 500,
      score: { similarity: 0.9, psnr: 40 },
      readyBytes: 2,
      peakBytes: 6,
    });
  });

  test('computes images per second from the elapsed time', () => {
    assert.equal(sumUp([measurement({ images: 10, elapsedMs: 4000 })], null)?.imagesPerSecond, 2.5);
  });

  test('has no memory figure where the system reports none, and no figures without a round', () => {
    const summary = sumUp([measurement({ memory: null })], null);
    assert.deepEqual([summary?.readyBytes, summary?.peakBytes], [null, null]);
    assert.equal(sumUp([], null), undefined);
  });

  test('compares with the baseline on the same workload only', () => {
    const figures = addRatios(
      [figure('a', 'mine', 10), figure('a', 'sharp', 40), figure('b', 'sharp', 5), figure('c', 'mine', 7)],
      'sharp',
    );
    assert.deepEqual(
      figures.map(({ values }) => values?.ratio),
      [0.25, 1, 1, null],
    );
  });

  test('keeps the reason why a contender is absent', () => {
    const absent = { workload: 'a', title: 'a', contender: 'mine', absent: 'cannot' };
    assert.deepEqual(addRatios([absent], 'sharp'), [absent]);
  });
});

describe('means over all workloads', () => {
  const figures = addRatios(
    [
      figure('a', 'mine', 10),
      figure('a', 'small', 5),
      figure('a', 'sharp', 40),
      figure('b', 'mine', 4),
      figure('b', 'sharp', 8),
      figure('c', 'mine', 1),
    ],
    'sharp',
  );

  test('use the first peer that has a workload, and omit workloads that no peer has', () => {
    assert.deepEqual(meansOf(figures, 'mine', ['small', 'sharp']), {
      contender: 'mine',
      peers: ['small', 'sharp'],
      workloads: 2,
      throughput: 1,
      peakMemory: 1,
      least: { workload: 'b', throughput: 0.5 },
    });
  });

  test('are absent without a common workload', () => {
    assert.equal(meansOf(figures, 'mine', ['other']), undefined);
  });
});
