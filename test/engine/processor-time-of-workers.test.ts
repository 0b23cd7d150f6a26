import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemThreadId } from '../../base/system-thread-id.ts';
import { THREAD_FILE } from '../../codecs/vips-thread-list.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { createPool } from '../../engine/pool.ts';
import { ProcessorTime, type RunLimit, type TimedRun } from '../../engine/processor-time.ts';
import { findThreadClock } from '../../engine/thread-time.ts';
import { ownBuffer } from '../support/engine.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { jpeg, pattern } from '../support/test-images.ts';

const BUSY_MS = 20;

/** A ProcessorTime that reads only the counters of threads. */
class RecordedTime extends ProcessorTime {
  readonly runs: TimedRun[] = [];

  constructor() {
    super({ processor: () => 0, wall: () => performance.now(), thread: findThreadClock() });
  }

  override start(limit: RunLimit): TimedRun {
    const run = super.start(limit);
    this.runs.push(run);
    return run;
  }
}

const ROUNDS = 5;

/** Returns the processor time of this process without its main thread, in milliseconds. */
function otherThreadsMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 - findThreadClock()!(systemThreadId()!)!;
}

/** Keeps the main thread busy until `work` is done. */
async function busyUntil<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    const until = performance.now() + BUSY_MS;
    while (performance.now() < until);
    await setImmediate();
  }
  return work;
}

test('a task is charged for its worker and the threads of libvips, however busy the main thread is', {
  skip: (THREAD_FILE === undefined && 'only the compiled service on Linux knows the threads of libvips') || nightlyOnly,
}, async () => {
  const processorTime = new RecordedTime();
  const engine = await createPool({ workers: 1, processorTime });
  await engine.ready();
  const image = await jpeg(pattern(1600, 1200));
  const params = compressParams.extend(sourceParams.shape).parse({ format: 'webp' });
  const run = () => engine.run('compress', { image: { data: ownBuffer(image) }, params });
  // Warms up, because V8 compiles on other threads.
  for (let round = 0; round < 3; round += 1) await run();

  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = otherThreadsMs();
    await busyUntil(run());
    shares.push(processorTime.runs.at(-1)!.usedMs() / (otherThreadsMs() - before));
  }
  // V8 may compile or collect on other threads in some of the rounds.
  assert.ok(Math.max(...shares) > 0.7 && Math.max(...shares) < 1.1, `${shares}`);
  await engine.close();
});
