import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../base/failure.ts';
import type { EngineObserver, RunOptions } from '../../engine/engine.ts';
import { Cancelled } from '../../engine/errors.ts';
import { MemoryBudget } from '../../engine/memory-budget.ts';
import { createPool } from '../../engine/pool.ts';
import type { PoolOptions } from '../../engine/pool-options.ts';
import { ProcessorTime } from '../../engine/processor-time.ts';
import type { TaskInput } from '../../engine/task.ts';
import { GROWN_BYTES, NEEDED_BYTES, RUN_MS, WAITING, WORKER_FILE } from '../support/barrier-worker.ts';
import { Held } from '../support/held.ts';

type Event = Parameters<NonNullable<EngineObserver['taskEnded']>>[0];

async function barrierPool(options: Partial<PoolOptions> = {}) {
  const ended: Event[] = [];
  const restarts: string[] = [];
  const observer: EngineObserver = {
    taskEnded: (event) => ended.push(event),
    workerRestarted: (reason) => restarts.push(reason),
  };
  const engine = await createPool({ workers: 1, workerFile: WORKER_FILE, observer, ...options });
  return { engine, ended, restarts };
}

/** Size of a file without a readable image size. The pool counts it as a photo, with 760 MB. */
const UNKNOWN_SIZE_FILE_BYTES = 4_000_000;

/** Returns the start of an 8-bit PNG: its signature, the chunk IHDR and the header of a chunk IDAT. */
function pngHeader(width: number, height: number, interlaceMethod: number): ArrayBuffer {
  const header = Buffer.alloc(41);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.set([8, 2, 0, 0, interlaceMethod], 24);
  header.write('IDAT', 37, 'latin1');
  return new Uint8Array(header).buffer;
}

const failsWith = (code: string) => (error: unknown) => error instanceof Failure && error.code === code;

describe('the pool', () => {
  test('transfers the input: the sender no longer has it', async () => {
    const { engine } = await barrierPool();
    const held = new Held();
    const answer = engine.run('compress', held.input);
    await held.running();
    assert.equal(held.input.image.data.byteLength, 0, 'the buffer is detached');
    held.open();
    assert.equal((await answer).data.byteLength, 4);
    await engine.close();
  });

  test('runs interactive work before earlier background work', async () => {
    const { engine } = await barrierPool();
    const [first, background, interactive] = [new Held(), new Held(), new Held()];
    const order: string[] = [];
    const run = (name: string, held: Held, options: RunOptions = {}) =>
      engine.run('compress', held.input, { ...options, onStart: () => order.push(name) });
    const answers = [run('first', first)];
    await first.running();
    answers.push(run('background', background, { lane: 'background' }), run('interactive', interactive));
    for (const held of [first, background, interactive]) held.open();
    await Promise.all(answers);
    assert.deepEqual(order, ['first', 'interactive', 'background']);
    await engine.close();
  });

  test('rejects with overloaded and a retry time when the queue is full', async () => {
    const { engine, ended } = await barrierPool({ admission: { tasks: 1, bytes: 1e9, pixels: 1e9 } });
    const [running, waiting] = [new Held(), new Held()];
    const answers = [engine.run('compress', running.input)];
    await running.running();
    answers.push(engine.run('compress', waiting.input));
    await assert.rejects(
      engine.run('compress', new Held().input),
      (error) => failsWith('overloaded')(error) && (error as Failure).retryAfter! >= 1,
    );
    assert.equal(ended.at(-1)?.outcome, 'overloaded');
    running.open();
    waiting.open();
    await Promise.all(answers);
    await engine.close();
  });

  test('alternates between accounts', async () => {
    const { engine } = await barrierPool();
    const order: string[] = [];
    const run = (held: Held, account: string) =>
      engine.run('compress', held.input, { owner: { account, key: account }, onStart: () => order.push(account) });
    const first = new Held();
    const answers = [run(first, 'many')];
    await first.running();
    const held = ['many', 'many', 'few'].map((account) => {
      const each = new Held();
      answers.push(run(each, account));
      return each;
    });
    for (const each of [first, ...held]) each.open();
    await Promise.all(answers);
    assert.deepEqual(order, ['many', 'few', 'many', 'many']);
    await engine.close();
  });

  test('runs a short task of another account on an extra worker while one account has all others', async () => {
    const { engine } = await barrierPool({ extraWorkers: { short: 1, long: 0 } });
    const [taken, waiting, other] = [new Held(), new Held(), new Held()];
    const of = (account: string) => ({ owner: { account, key: account } });
    const answers = [engine.run('compress', taken.input, of('one'))];
    await taken.running();
    answers.push(engine.run('compress', waiting.input, of('one')), engine.run('compress', other.input, of('other')));
    await other.running();
    assert.equal(Atomics.load(waiting.gate, 0), WAITING);
    assert.deepEqual([engine.stats().workers, engine.stats().busy], [2, 2]);
    for (const held of [taken, waiting, other]) held.open();
    await Promise.all(answers);
    await engine.close();
  });

  test('rejects a task that would wait too long, but lets background work wait', async () => {
    const { engine } = await barrierPool({ maxWaitMs: 100 });
    const owner = { account: 'one', key: 'one' };
    const running = new Held('answer', 5_000_000);
    const waiting = [new Held('answer', 5_000_000), new Held('answer', 5_000_000)];
    const answers = [engine.run('compress', running.input)];
    await running.running();
    answers.push(engine.run('compress', waiting[0]!.input, { owner }));
    await assert.rejects(
      engine.run('compress', new Held().input, { owner }),
      (error) => failsWith('overloaded')(error) && (error as Failure).retryAfter! >= 1,
    );
    answers.push(engine.run('compress', waiting[1]!.input, { lane: 'background', owner }));
    for (const held of [running, ...waiting]) held.open();
    await Promise.all(answers);
    await engine.close();
  });

  test('charges a timed out task to its account', async () => {
    const clocks = { processorMs: 0, wallMs: 0 };
    const processorTime = new ProcessorTime({ processor: () => clocks.processorMs, wall: () => clocks.wallMs });
    const { engine, ended } = await barrierPool({ timeoutMs: 1000, processorTime });
    const order: string[] = [];
    const run = (held: Held, account: string) =>
      engine.run('compress', held.input, { owner: { account, key: account }, onStart: () => order.push(account) });
    const stuck = new Held();
    const timedOut = run(stuck, 'slow');
    await stuck.running();
    const held = ['slow', 'slow', 'quick', 'quick'].map((account) => ({ account, task: new Held() }));
    const answers = held.map(({ account, task }) => run(task, account));
    clocks.wallMs += 1000;
    clocks.processorMs += 999;
    processorTime.check();
    assert.deepEqual(ended, [], 'not before its limit');
    clocks.wallMs += 1;
    clocks.processorMs += 1;
    processorTime.check();
    await assert.rejects(timedOut, failsWith('processing_timeout'));
    for (const { task } of held) task.open();
    await Promise.all(answers);
    assert.deepEqual(order, ['slow', 'quick', 'quick', 'slow', 'slow']);
    await engine.close();
  });

  test('rejects by bytes and by estimated pixels', async () => {
    for (const admission of [
      { tasks: 9, bytes: 100, pixels: 1e9 },
      { tasks: 9, bytes: 1e9, pixels: 1000 },
    ]) {
      const { engine } = await barrierPool({ admission });
      const running = new Held('answer', 60);
      const answer = engine.run('compress', running.input);
      await running.running();
      await assert.rejects(engine.run('compress', new Held('answer', 60).input), failsWith('overloaded'));
      running.open();
      await answer;
      await engine.close();
    }
  });

  test('counts text by its bytes only, not as an image', async () => {
    const { engine } = await barrierPool({ admission: { tasks: 9, bytes: 1e9, pixels: 1000 } });
    const [image, page] = [new Held('answer', 60), new Held('answer', 5000)];
    const answers: Promise<unknown>[] = [engine.run('compress', image.input)];
    await image.running();
    const document = { document: page.input.image, params: page.input.params };
    answers.push(engine.run('read-document', document as unknown as TaskInput<'read-document'>));
    const { admittedBytes, admittedPixels } = engine.stats();
    assert.deepEqual([admittedBytes, admittedPixels], [5060, 600]);
    image.open();
    page.open();
    await Promise.all(answers);
    await engine.close();
  });

  test('a waiting task whose client disconnects never reaches a worker', async () => {
    const { engine, ended, restarts } = await barrierPool();
    const [running, waiting] = [new Held(), new Held()];
    const answer = engine.run('compress', running.input);
    await running.running();
    const client = new AbortController();
    const gone = engine.run('compress', waiting.input, { signal: client.signal });
    client.abort();
    await assert.rejects(gone, Cancelled);
    running.open();
    await answer;
    assert.equal(Atomics.load(waiting.gate, 0), WAITING);
    assert.equal(waiting.input.image.data.byteLength, 8, 'its bytes were not even sent');
    assert.deepEqual([ended.map((event) => event.outcome), restarts], [['cancelled', 'done'], []]);
    assert.deepEqual([engine.stats().admittedBytes, engine.stats().admittedPixels], [0, 0]);
    await engine.close();
  });

  test('a running task whose client disconnects is stopped, and the next one gets a new worker', async () => {
    const { engine, restarts } = await barrierPool();
    const running = new Held();
    const client = new AbortController();
    const gone = engine.run('compress', running.input, { signal: client.signal });
    await running.running();
    client.abort();
    await assert.rejects(gone, Cancelled);
    const next = new Held();
    next.open();
    assert.ok(await engine.run('compress', next.input));
    assert.deepEqual(restarts, ['cancel']);
    await engine.close();
  });

  test('a task that exceeds its time limit fails without affecting others', async () => {
    const clocks = { processorMs: 0, wallMs: 0 };
    const processorTime = new ProcessorTime({ processor: () => clocks.processorMs, wall: () => clocks.wallMs });
    const { engine, ended, restarts } = await barrierPool({ timeoutMs: 50, processorTime });
    const endless = new Held();
    const answer = engine.run('compress', endless.input);
    await endless.running();
    clocks.wallMs += 50;
    clocks.processorMs += 50;
    processorTime.check();
    await assert.rejects(answer, failsWith('processing_timeout'));
    assert.deepEqual([ended.map((event) => event.outcome), restarts], [['timeout'], ['timeout']]);
    await engine.close();
  });

  for (const [then, restarts] of [
    ['exit', ['crash']],
    ['throw', ['crash']],
  ] as const) {
    test(`a worker that ends with ${then} fails only its own task`, async () => {
      const pool = await barrierPool({ workers: 2 });
      const [dying, other] = [new Held(then), new Held()];
      const lost = pool.engine.run('compress', dying.input);
      const kept = pool.engine.run('compress', other.input);
      await Promise.all([dying.running(), other.running()]);
      dying.open();
      await assert.rejects(lost, failsWith('internal_error'));
      other.open();
      assert.ok(await kept);
      const next = [new Held(), new Held()];
      const answers = next.map((held) => pool.engine.run('compress', held.input));
      await Promise.all(next.map((held) => held.running()));
      for (const held of next) held.open();
      await Promise.all(answers);
      assert.deepEqual(pool.restarts, restarts);
      await pool.engine.close();
    });
  }

  for (const [then, reason] of [
    ['poison', 'poisoned'],
    ['grow', 'memory'],
  ] as const) {
    test(`replaces a worker between tasks: ${reason}`, async () => {
      const { engine, restarts } = await barrierPool();
      const threads: unknown[] = [];
      for (const what of [then, 'answer', 'answer']) {
        const held = new Held(what);
        held.open();
        threads.push(((await engine.run('compress', held.input)) as unknown as { threadId: number }).threadId);
      }
      assert.notEqual(threads[0], threads[1]);
      assert.equal(threads[1], threads[2]);
      assert.deepEqual(restarts, [reason]);
      await engine.close();
    });
  }

  test('replaces a worker that has done much work, also while tasks wait, which other workers take', async () => {
    const { engine, restarts } = await barrierPool({ renewAfterMs: 1.5 * RUN_MS });
    const held = Array.from({ length: 6 }, () => new Held());
    const answers = held.map((task) => engine.run('compress', task.input));
    for (const task of held) task.open();
    const threads = (await Promise.all(answers)).map((answer) => (answer as unknown as { threadId: number }).threadId);
    assert.equal(new Set(threads).size, 3, `${threads}`);
    assert.deepEqual([threads[0], threads[2], threads[4]], [threads[1], threads[3], threads[5]]);
    assert.deepEqual(restarts, ['memory', 'memory', 'memory']);
    await engine.close();
  });

  test('a task that arrives while a worker is replaced does not wait for the other workers', async () => {
    const { engine } = await barrierPool({ workers: 2, minWorkers: 1 });
    const [long, poisoned] = [new Held(), new Held('poison')];
    const answer = engine.run('compress', long.input);
    const last = engine.run('compress', poisoned.input);
    await Promise.all([long.running(), poisoned.running()]);
    const next = new Held();
    const queued = engine.run('compress', next.input);
    poisoned.open();
    await last;
    await next.running();
    for (const held of [long, next]) held.open();
    await Promise.all([answer, queued]);
    await engine.close();
  });

  test('a waiting task never goes to a worker that will be replaced', async () => {
    const { engine, ended, restarts } = await barrierPool({ workers: 2 });
    const [first, second, waiting] = [new Held('poison'), new Held('poison'), new Held()];
    const answers = [engine.run('compress', first.input), engine.run('compress', second.input)];
    await Promise.all([first.running(), second.running()]);
    let last: Promise<unknown> | undefined;
    // The task is now in Piscina's queue. The first worker is gone, and the second one is free before another has
    // started.
    await new Promise<number>((resolve) => {
      last = engine.run('compress', waiting.input, { onStart: resolve });
      first.open();
    });
    second.open();
    await Promise.all(answers);
    await Promise.race([waiting.running(), last]);
    waiting.open();
    await last;
    assert.deepEqual(
      ended.map(({ outcome }) => outcome),
      ['done', 'done', 'done'],
    );
    assert.deepEqual(restarts, ['poisoned', 'poisoned']);
    await engine.close();
  });

  test('a task that ended its worker keeps its slot until the new worker is ready', async () => {
    const { engine } = await barrierPool({ workers: 1, extraWorkers: { short: 1, long: 0 } });
    const order: string[] = [];
    const run = (held: Held, account: string, name: string) =>
      engine.run('compress', held.input, { owner: { account, key: account }, onStart: () => order.push(name) });
    const [dying, short] = [new Held('exit'), new Held()];
    const lost = run(dying, 'one', 'dying');
    await dying.running();
    const other = run(short, 'other', 'short');
    await short.running();
    short.open();
    await other;
    dying.open();
    await assert.rejects(lost, failsWith('internal_error'));
    // Only one worker is warm. It goes to the account that has not ended a worker.
    const [next, small] = [new Held(), new Held()];
    const answers = [run(next, 'one', 'next'), run(small, 'other', 'small')];
    await small.running();
    for (const held of [next, small]) held.open();
    await Promise.all(answers);
    assert.deepEqual(order, ['dying', 'short', 'small', 'next']);
    await engine.close();
  });

  test('a task that needs more memory than estimated is restarted when there is room', async () => {
    const { engine, ended } = await barrierPool({ workers: 2, memory: new MemoryBudget(1.5 * NEEDED_BYTES) });
    const [large, needing] = [new Held('answer', UNKNOWN_SIZE_FILE_BYTES), new Held('need')];
    const answers = [engine.run('compress', large.input)];
    await large.running();
    const started: number[] = [];
    answers.push(engine.run('compress', needing.input, { onStart: (waitedMs) => started.push(waitedMs) }));
    await needing.running();
    needing.open();
    const small = new Held();
    small.open();
    await engine.run('compress', small.input);
    large.open();
    await Promise.all(answers);
    assert.deepEqual(
      ended.map(({ bytesIn }) => bytesIn),
      [8, UNKNOWN_SIZE_FILE_BYTES, 8],
      'the small one, the large one, and then the one that needs more',
    );
    assert.equal(started.length, 1);
    await engine.close();
  });

  test('a task that is restarted on another worker releases exactly what was reserved for it', async () => {
    const memory = new MemoryBudget(1350 * 2 ** 20);
    const { engine } = await barrierPool({
      ...{ workers: 2, minWorkers: 1, extraWorkers: { short: 2, long: 1 }, memory },
      workerMemoryBytes: Number.POSITIVE_INFINITY,
    });
    await engine.ready();
    const [growing, needing, large] = [new Held('grow'), new Held('need'), new Held('answer', UNKNOWN_SIZE_FILE_BYTES)];
    growing.open();
    await engine.run('compress', growing.input);
    const of = (account: string) => ({ owner: { account, key: account } });
    const answers = [engine.run('compress', needing.input, of('one'))];
    await needing.running();
    // The large task does not fit into memory. The worker, which has grown, is to be replaced after its task.
    answers.push(engine.run('compress', large.input, of('other')));
    for (const held of [needing, large]) held.open();
    await Promise.all(answers);
    while (engine.stats().busy > 0) await setImmediate();
    assert.equal(memory.runningBytes, 0);
    await engine.close();
  });

  test('the memory that a worker kept is free when the worker exits', { timeout: 30_000 }, async () => {
    // Workers may keep half of the budget. What they keep leaves too little for the large task.
    const memory = new MemoryBudget(1350 * 2 ** 20);
    const options = { workerMemoryBytes: Number.POSITIVE_INFINITY, memory };
    const [one, other] = [await barrierPool({ ...options, minWorkers: 0 }), await barrierPool(options)];
    const [ending, large] = [new Held('grow and exit'), new Held('answer', UNKNOWN_SIZE_FILE_BYTES)];
    for (const held of [ending, large]) held.open();
    await one.engine.run('compress', ending.input);
    assert.equal(memory.keptBytes, GROWN_BYTES - 64 * 2 ** 20);
    ending.close();
    while (one.engine.stats().workers > 0) await setImmediate();
    assert.equal(memory.keptBytes, 0);
    await other.engine.run('compress', large.input);
    await Promise.all([one, other].map(({ engine }) => engine.close()));
  });

  test('counts a file whose rows are interlaced with its whole image', async () => {
    for (const [interlaceMethod, expected] of [
      [0, 2],
      [1, 1],
    ] as const) {
      const { engine } = await barrierPool({ workers: 2, memory: new MemoryBudget(1e9) });
      const two = [1, 2].map(() => {
        const held = new Held();
        held.input.image.data = pngHeader(8000, 5000, interlaceMethod);
        return held;
      });
      const answers = two.map((held) => engine.run('compress', held.input));
      assert.equal(engine.stats().busy, expected, `interlace method ${interlaceMethod}`);
      for (const held of two) held.open();
      await Promise.all(answers);
      await engine.close();
    }
  });

  test('a task waits until other workers have released the memory that they keep', async () => {
    const memory = new MemoryBudget(1350 * 2 ** 20);
    const [grown, other] = await Promise.all(
      [1, 2].map(() => barrierPool({ memory, workerMemoryBytes: Number.POSITIVE_INFINITY })),
    );
    const growing = new Held('grow');
    growing.open();
    await grown!.engine.run('compress', growing.input);
    assert.deepEqual(grown!.restarts, []);
    const large = new Held('answer', UNKNOWN_SIZE_FILE_BYTES);
    large.open();
    await other!.engine.run('compress', large.input);
    assert.deepEqual([grown!.restarts, other!.restarts], [['memory'], []]);
    const [next, kept] = [new Held(), new Held('answer', UNKNOWN_SIZE_FILE_BYTES)];
    for (const held of [next, kept]) held.open();
    await Promise.all([grown!.engine.run('compress', next.input), other!.engine.run('compress', kept.input)]);
    assert.deepEqual([grown!.restarts, other!.restarts], [['memory'], []], 'a worker keeps what its next task needs');
    await Promise.all([grown!.engine.close(), other!.engine.close()]);
  });

  test('an idle extra worker ends when a task needs its memory', async () => {
    for (const [limitBytes, expected] of [
      [900e6, []],
      [800e6, ['memory']],
    ] as const) {
      const memory = new MemoryBudget(limitBytes);
      const { engine, restarts } = await barrierPool({ memory, extraWorkers: { short: 1, long: 0 } });
      const two = [new Held(), new Held()];
      const answers = two.map(({ input }, index) => {
        const account = `${index}`;
        return engine.run('compress', input, { owner: { account, key: account } });
      });
      await Promise.all(two.map((held) => held.running()));
      for (const held of two) held.open();
      await Promise.all(answers);
      const large = new Held('answer', UNKNOWN_SIZE_FILE_BYTES);
      large.open();
      await engine.run('compress', large.input);
      assert.deepEqual(restarts, expected, `${limitBytes} bytes`);
      await engine.close();
    }
  });

  test('idle workers keep at most half of the memory for running tasks', async () => {
    for (const [limitBytes, expected] of [
      [2 * GROWN_BYTES, []],
      [GROWN_BYTES, ['memory']],
    ] as const) {
      const memory = new MemoryBudget(limitBytes);
      const { engine, restarts } = await barrierPool({ memory, workerMemoryBytes: Number.POSITIVE_INFINITY });
      const growing = new Held('grow');
      growing.open();
      await engine.run('compress', growing.input);
      const next = new Held();
      next.open();
      await engine.run('compress', next.input);
      assert.deepEqual(restarts, expected);
      await engine.close();
    }
  });

  test('the largest idle worker releases its memory, also when another one runs the long tasks', async () => {
    const { engine, restarts } = await barrierPool({
      workers: 2,
      maxShortMs: 10,
      memory: new MemoryBudget(GROWN_BYTES),
      workerMemoryBytes: Number.POSITIVE_INFINITY,
    });
    await engine.ready();
    const [long, growing] = [new Held(), new Held('grow')];
    long.input.image.data = pngHeader(500, 500, 0);
    for (const held of [long, growing]) {
      held.open();
      await engine.run('compress', held.input);
    }
    assert.deepEqual(restarts, ['memory']);
    assert.ok(engine.stats().wasmBytes < GROWN_BYTES, 'the worker that has grown is the one that is replaced');
    await engine.close();
  });

  test('an idle worker is replaced in time, whatever other pools do meanwhile', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const memory = new MemoryBudget(Number.POSITIVE_INFINITY);
    const { engine, restarts } = await barrierPool({ memory, idleTrimMs: 10_000, trimAfterBytes: 0 });
    const held = new Held();
    held.open();
    await engine.run('compress', held.input);
    context.mock.timers.tick(6_000);
    memory.announceRoom();
    context.mock.timers.tick(3_999);
    assert.deepEqual(restarts, []);
    context.mock.timers.tick(1);
    assert.deepEqual(restarts, ['memory']);
    context.mock.timers.reset();
    await engine.close();
  });

  test('closing starts a worker for a task that waits for one', async () => {
    const { engine } = await barrierPool({ workers: 2, minWorkers: 1 });
    const [long, poisoned, waiting] = [new Held(), new Held('poison'), new Held()];
    const answers = [long, poisoned].map((held) => engine.run('compress', held.input));
    await Promise.all([long.running(), poisoned.running()]);
    answers.push(engine.run('compress', waiting.input));
    const closed = engine.close();
    poisoned.open();
    await waiting.running();
    for (const held of [long, waiting]) held.open();
    await Promise.all(answers);
    await closed;
  });

  test('closing rejects new work, finishes running tasks and ends the workers', async () => {
    const { engine } = await barrierPool();
    const running = new Held();
    const answer = engine.run('compress', running.input);
    await running.running();
    const closed = engine.close();
    await assert.rejects(engine.run('compress', new Held().input), failsWith('shutting_down'));
    running.open();
    assert.ok(await answer);
    await closed;
    assert.equal(engine.stats().workers, 0);
  });

  test('closing waits for a stuck task no longer than its grace period', async () => {
    const { engine } = await barrierPool();
    const stuck = new Held();
    const lost = engine.run('compress', stuck.input).catch((error: unknown) => error);
    await stuck.running();
    await engine.close(10);
    assert.ok(failsWith('internal_error')(await lost) || failsWith('shutting_down')(await lost));
  });
});
