import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../engine/engine.ts';
import { createPool } from '../../engine/pool.ts';
import type { LoadReport } from '../../models/runtime.ts';
import { OPEN, WORKER_FILE } from '../support/barrier-worker.ts';

/** Runs one task, after which the worker reports `models`. */
async function report(engine: Engine, models: LoadReport, then = 'answer'): Promise<void> {
  const gate = new Int32Array(new SharedArrayBuffer(4)).fill(OPEN);
  const params = { gate, then, models } as never;
  await engine.run('compress', { image: { data: new ArrayBuffer(8) }, params });
}

describe('models known to the pool', () => {
  it('are those that the living workers hold', async () => {
    const engine = await createPool({ workers: 1, workerFile: WORKER_FILE });
    assert.deepEqual(engine.stats().models, {});
    await report(engine, { one: 'loaded' });
    await report(engine, { one: 'loaded', two: 'loaded' });
    assert.deepEqual(engine.stats().models, { one: 'loaded', two: 'loaded' });
    // The worker's memory has grown too far, so the pool replaces it.
    await report(engine, { one: 'loaded', two: 'loaded' }, 'grow');
    assert.deepEqual(engine.stats().models, {});
    await engine.close();
  });

  it('stay marked as failed until they load, even when the worker ends', async () => {
    const engine = await createPool({ workers: 1, workerFile: WORKER_FILE });
    await report(engine, { one: 'failed', two: 'loaded' }, 'grow');
    assert.deepEqual(engine.stats().models, { one: 'failed' });
    await report(engine, { one: 'loaded' });
    assert.deepEqual(engine.stats().models, { one: 'loaded' });
    await engine.close();
  });
});
