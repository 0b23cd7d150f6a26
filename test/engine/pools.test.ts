import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createEngine } from '../../engine/pools.ts';
import { WORKER_FILE } from '../support/barrier-worker.ts';
import { Held } from '../support/held.ts';

/** Fills the young generation of its thread with surviving objects, and reports its size. */
const FILL = `
  let kept = [];
  for (let n = 0; n < 1_000_000; n++) {
    kept.push({ n });
    if (kept.length === 100_000) kept = [];
  }
  const spaces = require('node:v8').getHeapSpaceStatistics();
  require('node:worker_threads').parentPort.postMessage(spaces.find((space) => space.space_name === 'new_space').space_size);`;

describe('the pools', () => {
  it('run interactive work while background work has all its workers, and one background task for each worker', async () => {
    const engine = await createEngine({ workers: 2, workerFile: WORKER_FILE, modelsFolder: '' });
    assert.equal(engine.stats().workers, 1, 'the others begin with the first task that they are needed for');
    const background = [new Held(), new Held(), new Held()];
    const answers = background.map(({ input }) => engine.run('compress', input, { lane: 'background' }));
    await Promise.all(background.slice(0, 2).map((held) => held.running()));
    assert.equal(engine.stats().busy, 2);
    assert.deepEqual(engine.stats().queued, { interactive: 0, background: 1 });
    const interactive = new Held();
    const answer = engine.run('compress', interactive.input);
    await interactive.running();
    interactive.open();
    await answer;
    for (const held of background) held.open();
    await Promise.all(answers);
    await engine.close();
    assert.equal(engine.stats().busy, 0);
  });

  it('start workers on demand, and end all but one when they are idle', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const engine = await createEngine({ workers: 3, workerFile: WORKER_FILE, modelsFolder: '' });
    await engine.ready();
    const held = [new Held(), new Held()];
    const answers = held.map(({ input }) => engine.run('compress', input));
    await Promise.all(held.map((each) => each.running()));
    assert.equal(engine.stats().workers, 2);
    for (const each of held) each.open();
    await Promise.all(answers);
    context.mock.timers.tick(19_000);
    assert.equal(engine.stats().workers, 2);
    context.mock.timers.tick(1_000);
    assert.equal(engine.stats().workers, 1);
    context.mock.timers.reset();
    await engine.close();
  });

  it('end every worker for background tasks and models when it is idle', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const engine = await createEngine({ workers: 1, workerFile: WORKER_FILE, modelsFolder: '' });
    await engine.ready();
    const [background, model] = [new Held(), new Held()];
    const answers = [
      engine.run('compress', background.input, { lane: 'background' }),
      engine.run('ocr', model.input as never),
    ];
    for (const held of [background, model]) held.open();
    await Promise.all(answers);
    assert.equal(engine.stats().workers, 3);
    context.mock.timers.tick(20_000);
    assert.equal(engine.stats().workers, 2, 'the loaded models are kept for longer');
    context.mock.timers.tick(25_000);
    assert.equal(engine.stats().workers, 1);
    context.mock.timers.reset();
    await engine.close();
  });

  it('reject all work once they close, and create no pool for it', async () => {
    const engine = await createEngine({ workers: 1, workerFile: WORKER_FILE, modelsFolder: '' });
    const closing = engine.close();
    const late = engine.run('compress', new Held().input, { lane: 'background' });
    await assert.rejects(late, { code: 'shutting_down' });
    await closing;
  });

  it('keep the young generation of every started thread small', async () => {
    const engine = await createEngine({ workers: 1, workerFile: WORKER_FILE, modelsFolder: '' });
    const [bytes] = await once(new Worker(FILL, { eval: true }), 'message');
    assert.equal(bytes, 2 * 2 ** 20, 'two halves; V8 would take 32 MiB');
    await engine.close();
  });
});
