import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemThreadId } from '../../base/system-thread-id.ts';
import { findThreadClock, measureThreads } from '../../engine/thread-time.ts';
import { withFolder } from '../support/folder.ts';

const OWN_ID = systemThreadId();
const OTHER_ID = 7;
/** 1.5 s in user mode, 0.2 s in the kernel. */
const STAT = '7 (libuv) worker) S 1 2 3 4 5 6 7 8 9 10 150 20 0 0 20 0 11 0\n';

/** Fills a folder like /proc/self/task in which each thread has the same files, and returns its clock. */
async function clockOf(folder: string, files: Record<string, string>) {
  for (const id of [OWN_ID, OTHER_ID]) {
    await mkdir(join(folder, `${id}`));
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, `${id}`, name), content);
  }
  return findThreadClock(folder);
}

describe('processor time of a thread', { skip: OWN_ID === undefined && 'Linux alone tells it' }, () => {
  it('is read from schedstat, in nanoseconds', () =>
    withFolder(async (folder) => {
      const clock = await clockOf(folder, { schedstat: '1234567890 98 76\n', stat: STAT });
      assert.equal(clock?.(OTHER_ID), 1234.56789);
      assert.equal(clock?.(8), undefined, 'a thread that has ended');
    }));

  for (const [what, files] of [
    ['is missing', { stat: STAT }],
    ['holds zeros', { schedstat: '0 0 0\n', stat: STAT }],
  ] as const) {
    it(`is read from stat, in ticks, where schedstat ${what}`, () =>
      withFolder(async (folder) => assert.equal((await clockOf(folder, files))?.(OTHER_ID), 1700)));
  }

  it('is unknown when neither file exists', () =>
    withFolder(async (folder) => assert.equal(await clockOf(folder, {}), undefined)));

  it('grows while the thread computes', () => {
    const ownTime = () => findThreadClock()!(OWN_ID!)!;
    const before = ownTime();
    while (ownTime() < before + 20);
  });
});

describe('processor time of several threads', () => {
  function setUp(counters: Record<number, number>) {
    const ids = Object.keys(counters).map(Number);
    return {
      ids,
      counters,
      meter: measureThreads(
        (id) => counters[id],
        () => ids,
      ),
    };
  }

  it('is the sum of what they have used since', () => {
    const { counters, meter } = setUp({ 1: 100, 2: 200 });
    assert.equal(meter.usedMs(), 0);
    Object.assign(counters, { 1: 130, 2: 205 });
    assert.equal(meter.usedMs(), 35);
  });

  it('includes everything that a thread started since has used', () => {
    const { ids, counters, meter } = setUp({ 1: 100 });
    ids.push(2);
    counters[2] = 40;
    assert.equal(meter.usedMs(), 40);
    counters[2] = 50;
    assert.equal(meter.usedMs(), 50);
  });

  it('does not change when a thread ends, or when another one gets its id', () => {
    const { counters, meter } = setUp({ 1: 100, 2: 200 });
    counters[1] = 150;
    assert.equal(meter.usedMs(), 50);
    delete counters[1];
    assert.equal(meter.usedMs(), 50);
    counters[1] = 10;
    assert.equal(meter.usedMs(), 50);
  });
});
