import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { THREAD_FILE } from '../../codecs/vips-thread-list.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { createPool } from '../../engine/pool.ts';
import { ownBuffer } from '../support/engine.ts';
import { jpeg, pattern, png } from '../support/test-images.ts';

/** Minimum threads of a worker: its own and three of its libvips, which may start another one. */
const MIN_WORKER_THREADS = 4;
const CAN_READ_PRIORITY = process.platform === 'linux' && getPriority() === 0 && THREAD_FILE !== undefined;

/** Counts the threads of this process that have a lower priority. */
function countLowPriorityThreads(): number {
  return readdirSync('/proc/self/task').filter((id) => readNiceness(id) > 0).length;
}

/** Returns field 19 of a thread's status (proc_pid_stat(5)). The name before it may contain spaces. */
function readNiceness(id: string): number {
  const status = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
  return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[16]);
}

const params = compressParams.extend(sourceParams.shape).parse({});
const inputOf = (image: Uint8Array) => ({ image: { data: ownBuffer(image) }, params });

test('long tasks yield the processor to short ones, on workers that run no short tasks', {
  skip: CAN_READ_PRIORITY ? false : 'only the compiled service on Linux knows the threads of libvips',
}, async () => {
  const engine = await createPool({ workers: 2, minWorkers: 2, maxShortMs: 20 });
  await engine.ready();
  const [large, small] = await Promise.all([jpeg(pattern(1200, 1000)), png(pattern(60, 40))]);
  const run = (image: Uint8Array) => engine.run('compress', inputOf(image));
  // Other engines of this process have such threads too.
  const before = countLowPriorityThreads();
  const yieldingWorkers = () => Math.floor((countLowPriorityThreads() - before) / MIN_WORKER_THREADS);

  await run(small);
  assert.equal(countLowPriorityThreads() - before, 0);
  await run(large);
  assert.equal(yieldingWorkers(), 1);
  await run(small);
  await run(large);
  assert.equal(yieldingWorkers(), 1, 'the next long one goes to the same worker');
  await Promise.all([run(large), run(large)]);
  assert.equal(yieldingWorkers(), 2);
  await engine.close();
});

test('the replacement of a worker that long tasks made too large yields the processor from its start', {
  skip: CAN_READ_PRIORITY ? false : 'only the compiled service on Linux knows the threads of libvips',
}, async () => {
  // Every task makes a worker too large.
  const memory = { workerBaseBytes: 0, workerMemoryBytes: 0 };
  const extraWorkers = { short: 1, long: 0 };
  const engine = await createPool({ workers: 1, minWorkers: 2, extraWorkers, maxShortMs: 20, ...memory });
  await engine.ready();
  const large = await jpeg(pattern(1200, 1000));
  const before = countLowPriorityThreads();
  await engine.run('compress', inputOf(large));
  let yielding: number | undefined;
  const onStart = () => {
    yielding = countLowPriorityThreads() - before;
  };
  await engine.run('compress', inputOf(large), { onStart });
  assert.ok(yielding! >= MIN_WORKER_THREADS, `${yielding}`);
  await engine.close();
});
