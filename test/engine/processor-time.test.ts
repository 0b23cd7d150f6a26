import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProcessorTime } from '../../engine/processor-time.ts';

/** Sets up clocks that the test controls. */
function setUp() {
  const clocks = { processorMs: 0, wallMs: 0, threadMs: 0 };
  const time = new ProcessorTime({
    processor: () => clocks.processorMs,
    wall: () => clocks.wallMs,
    thread: () => clocks.threadMs,
  });
  const expired: string[] = [];
  const start = (label: string, { weight = 1, limitMs = 1000 } = {}) => {
    const run = time.start({ weight, limitMs, onLimit: () => expired.push(label) });
    run.begin(undefined);
    return run;
  };
  /** Starts a task that waits for a worker whose threads are known. */
  const queue = (label: string) => time.start({ weight: 1, limitMs: 1000, onLimit: () => expired.push(label) });
  const pass = (wallMs: number, processorMs: number) => {
    clocks.wallMs += wallMs;
    clocks.processorMs += processorMs;
    time.check();
  };
  const passThread = (wallMs: number, threadMs: number) => {
    clocks.threadMs += threadMs;
    pass(wallMs, 0);
  };
  return { start, queue, pass, passThread, expired };
}

describe('processor time of tasks', () => {
  it('is that of the process, divided among the running tasks', () => {
    const { start, pass } = setUp();
    pass(500, 500);
    const first = start('first');
    pass(100, 90);
    assert.equal(first.usedMs(), 90, 'what was used before it began is not its own');
    const second = start('second');
    pass(100, 120);
    assert.deepEqual([first.usedMs(), second.usedMs()], [150, 60]);
    second.end();
    pass(100, 30);
    assert.deepEqual([first.usedMs(), second.usedMs()], [180, 60]);
    first.end();
  });

  it('never exceeds the elapsed time', () => {
    const { start, pass } = setUp();
    const only = start('only');
    pass(100, 400);
    assert.equal(only.usedMs(), 100);
    only.end();
  });

  it('is counted in full when the counter of the process is updated late', () => {
    const { start, pass } = setUp();
    const only = start('only');
    pass(100, 0);
    pass(100, 180);
    assert.equal(only.usedMs(), 100, 'no more at once than the time that has passed');
    pass(100, 0);
    assert.equal(only.usedMs(), 180);
    only.end();
  });

  it('excludes what a task cannot have used since it began', () => {
    const { start, pass } = setUp();
    const only = start('only');
    pass(100, 1000);
    pass(100, 0);
    assert.equal(only.usedMs(), 100);
    const next = start('next');
    pass(100, 0);
    assert.equal(next.usedMs(), 0);
    only.end();
    next.end();
  });

  it('never falls when the main thread waits for a processor and seems active', () => {
    const { start, pass } = setUp();
    const only = start('only');
    pass(100, 50);
    pass(1000, -600);
    assert.equal(only.usedMs(), 50);
    pass(100, 60);
    assert.equal(only.usedMs(), 90, 'the counter may have been a tick late');
    only.end();
  });

  it('is divided by the weights that the system gives the threads', () => {
    const { start, pass } = setUp();
    const [heavy, light] = [start('heavy', { weight: 9 }), start('light', { weight: 1 })];
    pass(100, 50);
    assert.deepEqual([heavy.usedMs(), light.usedMs()], [45, 5]);
    pass(100, 150);
    assert.deepEqual([heavy.usedMs(), light.usedMs()], [145, 55], 'what one cannot have used the other has');
    heavy.end();
    light.end();
  });

  it('does not reach the limit on a machine that gives the process little of it', () => {
    const { start, pass, expired } = setUp();
    const run = start('slow machine');
    pass(3900, 390);
    assert.deepEqual(expired, []);
    pass(50, 700);
    assert.equal(run.usedMs(), 440);
    run.end();
  });

  it('is that of the threads of its worker where they are known, from when the worker takes the task', () => {
    const { queue, pass, passThread, expired } = setUp();
    const run = queue('known');
    passThread(50_000, 5000);
    assert.equal(run.usedMs(), 0);
    run.begin(() => [7]);
    pass(500, 700);
    passThread(500, 999);
    assert.deepEqual([run.usedMs(), expired], [999, []], 'more threads than one may compute');
    passThread(500, 1);
    assert.deepEqual(expired, ['known']);
    run.end();
    passThread(500, 100);
    assert.equal(run.usedMs(), 1000, 'the worker has another task');
  });

  it('ends a task once, at its limit', () => {
    const { start, pass, expired } = setUp();
    const [endless, other] = [start('endless'), start('other', { limitMs: 5000 })];
    pass(999, 1998);
    assert.deepEqual(expired, []);
    pass(1, 2);
    assert.deepEqual(expired, ['endless']);
    pass(1000, 2000);
    assert.deepEqual(expired, ['endless']);
    endless.end();
    other.end();
  });

  describe('the wall time limit', () => {
    /** Interval between two checks of a task. */
    const LOOK_MS = 200;
    const LOOKS_PER_MINUTE = 300;
    const looks = (count: number, look: (index: number) => void) => {
      for (let index = 0; index < count; index += 1) look(index);
    };

    it('does not end a task whose threads get little of the processor', () => {
      const { queue, passThread, expired } = setUp();
      const starved = queue('starved');
      starved.begin(() => [7]);
      // 8 ms every 4 s, for five minutes.
      looks(5 * LOOKS_PER_MINUTE, (index) => passThread(LOOK_MS, index % 20 === 19 ? 8 : 0));
      assert.deepEqual([starved.usedMs(), expired], [600, []]);
      passThread(LOOK_MS, 400);
      assert.deepEqual(expired, ['starved'], 'the limit of processor time holds');
      starved.end();
    });

    it('ends a task that waits forever, whatever its limit', () => {
      const { queue, pass, passThread, expired } = setUp();
      const stuck = queue('stuck');
      stuck.begin(() => [7]);
      looks(LOOKS_PER_MINUTE, () => passThread(LOOK_MS, 1));
      // Other tasks use the processor meanwhile.
      looks(LOOKS_PER_MINUTE - 1, () => pass(LOOK_MS, LOOK_MS));
      assert.deepEqual(expired, []);
      pass(LOOK_MS, LOOK_MS);
      assert.deepEqual(expired, ['stuck']);
      stuck.end();
    });

    it('ends a task that uses almost none', () => {
      const { queue, passThread, expired } = setUp();
      const stuck = queue('stuck');
      stuck.begin(() => [7]);
      looks(LOOKS_PER_MINUTE, () => passThread(LOOK_MS, LOOK_MS / 2000));
      assert.deepEqual(expired, ['stuck']);
      stuck.end();
    });

    it('ends a task that no worker ever takes', () => {
      const { queue, pass, expired } = setUp();
      const waiting = queue('waiting');
      looks(LOOKS_PER_MINUTE, () => pass(LOOK_MS, 0));
      assert.deepEqual(expired, ['waiting']);
      waiting.end();
    });

    it('does not end a task when the process itself was stopped', () => {
      const { queue, pass, expired } = setUp();
      const run = queue('stopped');
      run.begin(() => [7]);
      pass(3_600_000, 0);
      assert.deepEqual(expired, []);
      run.end();
    });
  });

  it('counts the work of other threads, and not that of the main thread', () => {
    const time = new ProcessorTime();
    const run = time.start({ weight: 1, limitMs: 1e9, onLimit: () => {} });
    run.begin(undefined);
    const end = performance.now() + 100;
    while (performance.now() < end);
    // The main thread's own time is only known after a turn of its event loop.
    const used = run.usedMs();
    run.end();
    assert.ok(used < 90, `${used} ms`);
  });
});
