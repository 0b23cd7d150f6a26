import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { measure } from '../../bench/measure.ts';

const INPUT = Uint8Array.of(1, 2, 3);

/** Creates a job that counts its calls: in total, running, and at most running at the same time. */
function watchedJob() {
  const seen = { calls: 0, together: 0, most: 0 };
  const job = async (input: Uint8Array) => {
    assert.equal(input, INPUT);
    seen.calls++;
    seen.together++;
    seen.most = Math.max(seen.most, seen.together);
    await setImmediate();
    seen.together--;
    return input;
  };
  return { job, seen };
}

describe('measure', () => {
  test('makes the minimum number of single and full-load requests, however short the time', async () => {
    const { job, seen } = watchedJob();
    const timings = await measure(job, INPUT, { seconds: 0, concurrency: 4, fewest: 3 });
    assert.equal(timings.latenciesMs.length, 3);
    assert.equal(timings.images, 12);
    assert.equal(seen.calls, 4 + 3 + 12, 'one round to warm up goes before');
    assert.ok(timings.elapsedMs > 0);
  });

  test('keeps exactly the requested number of requests in flight', async () => {
    const { job, seen } = watchedJob();
    await measure(job, INPUT, { seconds: 0, concurrency: 5, fewest: 2 });
    assert.equal(seen.most, 5);
    assert.equal(seen.together, 0, 'it waits for the last answer');
  });

  test('stops when a job fails', async () => {
    const failing = async () => {
      throw new Error('broken');
    };
    await assert.rejects(measure(failing, INPUT, { seconds: 0, concurrency: 1, fewest: 1 }), /broken/);
  });
});
