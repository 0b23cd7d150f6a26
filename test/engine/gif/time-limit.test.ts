/** The time limit of an edit: four times that of an ordinary task. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPool } from '../../../engine/pool.ts';
import { ProcessorTime } from '../../../engine/processor-time.ts';
import { WORKER_FILE } from '../../support/barrier-worker.ts';
import { failureOf } from '../../support/failure.ts';
import { Held } from '../../support/held.ts';

it('an edit may take 120 seconds where the default limit is 30', async () => {
  // All processor time belongs to the only task.
  const clocks = { ms: 0 };
  const processorTime = new ProcessorTime({ processor: () => clocks.ms, wall: () => clocks.ms });
  const pool = await createPool({ workers: 1, workerFile: WORKER_FILE, processorTime });
  for (const [name, seconds] of [
    ['gif', 120],
    ['compress', 30],
  ] as const) {
    const endless = new Held();
    const answer = pool.run(name, endless.input as never);
    await endless.running();
    clocks.ms += seconds * 1000;
    processorTime.check();
    const { message } = await failureOf('processing_timeout', () => answer);
    assert.match(message, new RegExp(`at most ${seconds} seconds`));
  }
  await pool.close();
});
