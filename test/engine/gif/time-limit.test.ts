/** How long an edit may run: four times as long as an ordinary operation. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPool } from '../../../engine/pool.ts';
import type { TaskInput } from '../../../engine/task.ts';
import { WORKER_FILE } from '../../support/barrier-worker.ts';
import { failureOf } from '../../support/failure.ts';

it('an edit may take 120 seconds where the ordinary limit is 30', async () => {
  const pool = await createPool({ workers: 1, workerFile: WORKER_FILE, timeoutMs: 30 });
  // The gate stays shut, so that only the limit ends the task.
  const params = { gate: new Int32Array(new SharedArrayBuffer(4)) } as never;
  const input: TaskInput<'gif'> & TaskInput<'compress'> = { image: { data: new ArrayBuffer(8) }, params };
  const edit = await failureOf('processing_timeout', () => pool.run('gif', input));
  assert.match(edit.message, /at most 0\.12 seconds/);
  const ordinary = await failureOf('processing_timeout', () =>
    pool.run('compress', { ...input, image: { data: new ArrayBuffer(8) } }),
  );
  assert.match(ordinary.message, /at most 0\.03 seconds/);
  await pool.close();
});
