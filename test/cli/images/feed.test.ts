import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { runLimited } from '../../../cli/images/feed.ts';

interface RunningItem {
  item: number;
  end: () => void;
}

/** Feeds items whose values are their sizes in bytes. The work on an item ends when the test calls its `end`. */
function feeding(items: readonly number[], limits: { concurrency: number; bytes: number }) {
  const stopped = new AbortController();
  const running: RunningItem[] = [];
  const done: number[] = [];
  const work = (item: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        running.splice(
          running.findIndex((held) => held.end === end),
          1,
        );
        done.push(item);
        resolve();
      };
      running.push({ item, end });
    });
  const all = runLimited(items, async (item) => item, work, { ...limits, signal: stopped.signal });
  return { all, running, done, stopped };
}

/** Waits 20 turns of the event loop, so that everything pending has run. */
async function waitForPendingCallbacks(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

describe('feeding the workers', () => {
  it('keeps the maximum number of tasks running, and does each once', async () => {
    const items = [1, 2, 3, 4, 5, 6, 7];
    const { all, running, done } = feeding(items, { concurrency: 3, bytes: 1000 });
    let ended = false;
    void all.then(() => {
      ended = true;
    });
    for (await waitForPendingCallbacks(); running.length > 0; await waitForPendingCallbacks()) {
      assert.ok(running.length === Math.min(3, items.length - done.length));
      running[0]!.end();
    }
    assert.deepEqual([ended, done], [true, items]);
  });

  it('stays within the byte limit, and runs a larger task alone', async () => {
    const { all, running, done } = feeding([40, 50, 30, 500, 10], { concurrency: 4, bytes: 100 });
    const seen: number[][] = [];
    for (await waitForPendingCallbacks(); running.length > 0; await waitForPendingCallbacks()) {
      seen.push(running.map(({ item }) => item));
      running[0]!.end();
    }
    await all;
    assert.deepEqual(seen, [[40, 50], [50, 30], [30], [500], [10]]);
    assert.deepEqual(done, [40, 50, 30, 500, 10]);
  });

  it('starts no more tasks after a stop, and waits for the running ones', async () => {
    const { all, running, done, stopped } = feeding([60, 60, 60], { concurrency: 2, bytes: 100 });
    await waitForPendingCallbacks();
    stopped.abort();
    assert.deepEqual(
      running.map(({ item }) => item),
      [60],
    );
    running[0]!.end();
    await all;
    assert.deepEqual([running.length, done], [0, [60]]);
  });

  it('does nothing without tasks', async () => {
    const { all, done } = feeding([], { concurrency: 2, bytes: 1 });
    await all;
    assert.deepEqual(done, []);
  });
});
