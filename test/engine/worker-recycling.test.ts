import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Replacement, type WorkerState } from '../../engine/worker-recycling.ts';

const FRESH: WorkerState = { wasmBytes: 1, runMs: 1, workedMs: 1, liveHandles: 0, poisoned: false };
const LIMITS = { wasmBytes: 100, workedMs: 100 };

/**
 * Lets workers run tasks of one millisecond at the same time, until each has worked `untilMs` milliseconds.
 * @returns when each replacement happened, and how much the replaced worker had worked
 */
function simulateWork(workers: number, untilMs: number): { at: number; workedMs: number }[] {
  const replacement = new Replacement();
  const worked = Array<number>(workers).fill(0);
  const replaced: { at: number; workedMs: number }[] = [];
  for (let at = 1; at <= untilMs; at += 1) {
    for (let worker = 0; worker < workers; worker += 1) {
      const workedMs = worked[worker]! + 1;
      const reason = replacement.decide(worker + 1, { ...FRESH, workedMs }, LIMITS);
      if (reason) replaced.push({ at, workedMs });
      worked[worker] = reason ? 0 : workedMs;
    }
  }
  return replaced;
}

describe('the replacement of workers', () => {
  it('has a reason: memory, a leak or a trap', () => {
    const reasons = [
      FRESH,
      { ...FRESH, wasmBytes: 100 },
      { ...FRESH, wasmBytes: 101 },
      { ...FRESH, liveHandles: 1 },
      { ...FRESH, poisoned: true },
    ].map((state) => new Replacement().decide(1, state, LIMITS));
    assert.deepEqual(reasons, [undefined, undefined, 'memory', 'poisoned', 'poisoned']);
  });

  it('comes after a set amount of work, exactly with one worker', () => {
    assert.deepEqual(simulateWork(1, 350), [
      { at: 100, workedMs: 100 },
      { at: 200, workedMs: 100 },
      { at: 300, workedMs: 100 },
    ]);
  });

  for (const workers of [2, 4, 16]) {
    it(`staggers ${workers} workers, each after about as much work`, () => {
      const replaced = simulateWork(workers, 2000);
      const apart = replaced.slice(1).map(({ at }, index) => at - replaced[index]!.at);
      assert.ok(Math.min(...apart) >= 100 / workers - 1 && Math.max(...apart) <= 100 / workers + 1, `${apart}`);
      // Skips the first ones, because all workers started together.
      for (const { workedMs } of replaced.slice(workers)) assert.ok(workedMs >= 75 && workedMs <= 150, `${workedMs}`);
    });
  }

  it('never comes for work when there is no limit', () => {
    const replacement = new Replacement();
    const limits = { ...LIMITS, workedMs: Number.POSITIVE_INFINITY };
    for (const workedMs of [2 ** 31, 2 ** 32])
      assert.equal(replacement.decide(1, { ...FRESH, runMs: 2 ** 31, workedMs }, limits), undefined);
  });

  it('does not mix up workers, however many there have been', () => {
    const replacement = new Replacement();
    replacement.decide(1026, { ...FRESH, poisoned: true }, LIMITS);
    const elsewhere = new Replacement(replacement.shared);
    assert.deepEqual([replacement.isSpent(1026), replacement.isSpent(2), elsewhere.isSpent(1026)], [true, false, true]);
  });
});
