import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEngine } from '../../engine/pools.ts';
import { WORKER_FILE } from '../support/barrier-worker.ts';
import { Held } from '../support/held.ts';

describe('the pools', () => {
  it('run interactive work while background work has all its workers, and as much of that as there are workers', async () => {
    const engine = await createEngine({ workers: 2, workerFile: WORKER_FILE, modelsFolder: '' });
    assert.equal(engine.stats().workers, 2, 'the workers of background work begin with its first task');
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

  it('refuse work of every kind once they close, and begin no pool for it', async () => {
    const engine = await createEngine({ workers: 1, workerFile: WORKER_FILE, modelsFolder: '' });
    const closing = engine.close();
    const late = engine.run('compress', new Held().input, { lane: 'background' });
    await assert.rejects(late, { code: 'shutting_down' });
    await closing;
  });
});
