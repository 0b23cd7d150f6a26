/**
 * Three pools behind one engine, each with workers of its own, so that nothing waits for work of another kind. What runs a
 * model takes a second or more and all cores. Background work comes by the thousand. The workers of both yield the cores
 * to those of interactive requests.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { ExtraSlots } from './admission.ts';
import type { Engine, EngineStats, RunOptions } from './engine.ts';
import { MemoryBudget } from './memory-budget.ts';
import { needsModel } from './needs.ts';
import { createPool, type PoolOptions } from './pool.ts';
import type { TaskInput, TaskName, TaskResult } from './task.ts';

export interface EngineOptions extends Omit<PoolOptions, 'models' | 'niceness' | 'memory'> {
  /** Memory that all workers may hold together for the pictures of their tasks, in bytes; default: no limit. */
  memoryBytes?: number;
  /** Folder of the installed models. */
  modelsFolder: string;
}

/**
 * One worker with several threads, because as many workers would each hold every model. On two cores small ordinary requests
 * had a p95 of 41 ms alone and of 44 ms beside four cut-outs (bench/model-lanes.ts); with more cores it has not been measured.
 */
const MODEL_THREADS = Math.min(4, availableParallelism());
/**
 * Beside the workers of interactive requests. For short tasks: one for a key while other keys of its account hold the workers, one
 * more for an account while other accounts do. One for a long task of an account of which nothing runs. Started
 * when they are needed.
 */
const EXTRA_WORKERS: ExtraSlots = { short: 2, long: 1 };
/** For short tasks while a long one, of whomever, holds the worker of models. None for long ones: it would hold every model too. */
const EXTRA_MODEL_WORKERS: ExtraSlots = { short: 1, long: 0 };
/** A page of text or a cut-out is short, an enlargement is long. */
const MAX_SHORT_MODEL_MS = 3000;
/** Of threads that nobody waits for at once. */
const NICENESS = 10;
/**
 * Work after which a worker of background work is replaced, in milliseconds. A scan of 2,000 pages and 6,000 pictures held 613 MiB
 * at most without it, 533 to 553 with it; the 0.4 s in which another one starts are 6 % of this.
 */
const RENEW_AFTER_MS = 7_000;
/** Memory of a worker with the models that it has loaded, in bytes: it is not taken from them for a large picture. */
const MODEL_WORKER_BYTES = 768 * 2 ** 20;
/** A loaded model is worth keeping for the next request, but not for ever. */
const MODEL_IDLE_MS = 60_000;

/**
 * Largest half of the young generation of a thread that starts from now on, in MiB; V8's own is 16. Pictures lie outside of
 * it, so a worker hardly fills it, but each of its threads, those of libvips too, would let it grow.
 */
const SEMI_SPACE_MIB = 1;
/**
 * How far a heap grows beyond what lives in it before it is collected, in percent; V8's own is up to 300. What scans leave behind
 * lay about in every thread: 791 MB at most with 2,000 pages and 6,000 pictures, 696 with this, in the same time (bench/sites.ts).
 */
const HEAP_GROWTH_PERCENT = 25;

/**
 * Starts a worker of interactive work. Resolves at once with an engine that queues until it is up. One that is warm takes what
 * comes first, while others start, in some 0.4 s: an idle worker with its libvips holds 60 MB, and there may be one per core.
 */
export async function createEngine({ modelsFolder, memoryBytes, ...others }: EngineOptions): Promise<Engine> {
  const options = { ...others, memory: new MemoryBudget(memoryBytes ?? Number.POSITIVE_INFINITY) };
  // No option of a worker: libvips starts threads itself. The heap of this thread keeps what it began with.
  setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MIB}`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  return new Pools({
    interactive: await createPool({ ...options, minWorkers: 1, extraWorkers: EXTRA_WORKERS }),
    createBackground: () => createPool({ ...options, minWorkers: 1, niceness: NICENESS, renewAfterMs: RENEW_AFTER_MS }),
    createModel: () =>
      createPool({
        ...options,
        workers: 1,
        extraWorkers: EXTRA_MODEL_WORKERS,
        maxShortMs: MAX_SHORT_MODEL_MS,
        models: { folder: modelsFolder, threads: MODEL_THREADS },
        niceness: NICENESS,
        workerBaseBytes: MODEL_WORKER_BYTES,
        idleTrimMs: MODEL_IDLE_MS,
        trimAfterBytes: 0,
      }),
  });
}

/** A pool that begins with its first task: a service that never sees one saves the memory of its workers. */
class LatePool {
  readonly #create: () => Promise<Engine>;
  #starting: Promise<Engine> | undefined;
  #pool: Engine | undefined;

  constructor(create: () => Promise<Engine>) {
    this.#create = create;
  }

  /** Once it has begun. */
  get pool(): Engine | undefined {
    return this.#pool;
  }

  start(): Promise<Engine> {
    this.#starting ??= this.#create().then(
      (pool) => {
        this.#pool = pool;
        return pool;
      },
      (error: unknown) => {
        // The next task tries again.
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting;
  }

  async close(graceMs?: number): Promise<void> {
    await (await this.#starting)?.close(graceMs);
  }
}

interface PoolsOptions {
  interactive: Engine;
  createBackground: () => Promise<Engine>;
  createModel: () => Promise<Engine>;
}

class Pools implements Engine {
  readonly #interactive: Engine;
  readonly #background: LatePool;
  readonly #model: LatePool;
  #closing = false;

  constructor({ interactive, createBackground, createModel }: PoolsOptions) {
    this.#interactive = interactive;
    this.#background = new LatePool(createBackground);
    this.#model = new LatePool(createModel);
  }

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<TaskResult<N>> {
    const pool = await this.#poolFor(name, input, options);
    return pool.run(name, input, options);
  }

  async #poolFor<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<Engine> {
    // It refuses what comes now; none is begun any more.
    if (this.#closing) return this.#interactive;
    if (needsModel(name, input)) return await this.#model.start();
    return options?.lane === 'background' ? await this.#background.start() : this.#interactive;
  }

  stats() {
    return [this.#interactive, this.#background.pool, this.#model.pool]
      .filter((pool) => pool !== undefined)
      .map((pool) => pool.stats())
      .reduce(sum);
  }

  ready() {
    return this.#interactive.ready();
  }

  async close(graceMs?: number): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#interactive, this.#background, this.#model].map((pool) => pool.close(graceMs)));
  }
}

function sum(one: EngineStats, other: EngineStats): EngineStats {
  return {
    workers: one.workers + other.workers,
    busy: one.busy + other.busy,
    queued: {
      interactive: one.queued.interactive + other.queued.interactive,
      background: one.queued.background + other.queued.background,
    },
    admittedBytes: one.admittedBytes + other.admittedBytes,
    admittedPixels: one.admittedPixels + other.admittedPixels,
    wasmBytes: one.wasmBytes + other.wasmBytes,
    models: { ...one.models, ...other.models },
  };
}
