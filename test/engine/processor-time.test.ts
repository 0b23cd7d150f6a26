import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProcessorTime } from '../../engine/processor-time.ts';

/** Clocks that the test moves. */
function setUp() {
  const clocks = { processorMs: 0, wallMs: 0 };
  const time = new ProcessorTime({ processor: () => clocks.processorMs, wall: () => clocks.wallMs });
  const expired: string[] = [];
  const start = (label: string, { weight = 1, limitMs = 1000 } = {}) =>
    time.start({ weight, limitMs, onLimit: () => expired.push(label) });
  const pass = (wallMs: number, processorMs: number) => {
    clocks.wallMs += wallMs;
    clocks.processorMs += processorMs;
    time.check();
  };
  return { start, pass, expired };
}

describe('the processor time of tasks', () => {
  it('is that of the process, divided among those that run', () => {
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

  it('is never more than the time that has passed', () => {
    const { start, pass } = setUp();
    const only = start('only');
    pass(100, 400);
    assert.equal(only.usedMs(), 100);
    only.end();
  });

  it('is weighed as the system weighs the threads', () => {
    const { start, pass } = setUp();
    const [heavy, light] = [start('heavy', { weight: 9 }), start('light', { weight: 1 })];
    pass(100, 50);
    assert.deepEqual([heavy.usedMs(), light.usedMs()], [45, 5]);
    pass(100, 150);
    assert.deepEqual([heavy.usedMs(), light.usedMs()], [145, 55], 'what one cannot have used the other has');
    heavy.end();
    light.end();
  });

  it('is not used up on a machine that gives the process little of it', () => {
    const { start, pass, expired } = setUp();
    const run = start('slow machine');
    pass(3900, 390);
    assert.deepEqual(expired, []);
    pass(50, 700);
    assert.equal(run.usedMs(), 440);
    run.end();
  });

  it('ends a task at its limit, once', () => {
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

  it('ends a task that uses none, four times as late', () => {
    const { start, pass, expired } = setUp();
    const stuck = start('stuck');
    pass(3999, 0);
    assert.deepEqual(expired, []);
    pass(1, 0);
    assert.deepEqual(expired, ['stuck']);
    stuck.end();
  });

  it('goes up with the work of other threads, and not with that of the main one', () => {
    const time = new ProcessorTime();
    const run = time.start({ weight: 1, limitMs: 1e9, onLimit: () => {} });
    const end = performance.now() + 100;
    while (performance.now() < end);
    // What the main thread has used is known when its event loop turns.
    const used = run.usedMs();
    run.end();
    assert.ok(used < 90, `${used} ms`);
  });
});
