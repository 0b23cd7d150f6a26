/**
 * Three pools behind one engine, each with its own workers, so that no task waits for tasks of another kind. Tasks with
 * models take a second or more and all cores. Background tasks come by the thousand. The workers of both yield the
 * cores to interactive requests.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { ExtraSlots } from './admission.ts';
import type { Engine, EngineStats, RunOptions } from './engine.ts';
import { MemoryBudget } from './memory-budget.ts';
import { createPool } from './pool.ts';
import type { PoolOptions } from './pool-options.ts';
import type { TaskInput, TaskName, TaskResult } from './task.ts';
import { needsModel } from './task-requirements.ts';

export interface EngineOptions extends Omit<PoolOptions, 'models' | 'niceness' | 'memory'> {
  /** Memory that all workers together may hold for the images of their tasks, in bytes; no limit by default. */
  memoryBytes?: number;
  /** Folder of the installed models. */
  modelsFolder: string;
  /** Whether the heap settings of the process stay as they are, for programs of others. Default: false. */
  keepsHeapSettings?: boolean;
}

/**
 * One worker with several threads, because each of several workers would load every model. On two cores, small ordinary
 * requests had a p95 of 41 ms alone and of 44 ms beside four cut-outs (bench/model-lanes.ts); not measured with more
 * cores.
 */
const MODEL_THREADS = Math.min(4, availableParallelism());
/**
 * Additional workers for interactive requests, started on demand. For short tasks: one for a key while other keys of
 * its account use the workers, and one for an account while other accounts do. One for a long task of an account with
 * no running task.
 */
const EXTRA_WORKERS: ExtraSlots = { short: 2, long: 1 };
/**
 * For short tasks while a long one uses the model worker. None for long ones: the worker would load every model too.
 */
const EXTRA_MODEL_WORKERS: ExtraSlots = { short: 1, long: 0 };
/** OCR of a page and a cut-out are short, an upscale is long. */
const MAX_SHORT_MODEL_MS = 3000;
/** Niceness of threads whose results are not urgent. */
const NICENESS = 10;
/**
 * Work after which a background worker is replaced, in milliseconds. A scan of 2,000 pages and 6,000 images used up to
 * 613 MiB without it, 533 to 553 with it. The 0.4 s to start another worker are 6% of this.
 */
const RENEW_AFTER_MS = 7_000;
/** Memory of a worker with its loaded models, in bytes. It is not freed for a large image. */
const MODEL_WORKER_BYTES = 768 * 2 ** 20;
/** How long a loaded model is kept for the next request. */
const MODEL_IDLE_MS = 45_000;

/**
 * Maximum semi-space of the young generation of threads started from now on, in MiB; V8's default is 16. Image data is
 * outside of it, so a worker hardly fills it, but in each of its threads, including those of libvips, it would grow.
 */
const SEMI_SPACE_MIB = 1;
/**
 * How far a heap may grow beyond its live data before a collection, in percent; V8's default is up to 300. Garbage of
 * scans remained in every thread: at most 791 MB with 2,000 pages and 6,000 images, 696 MB with this, in the same time
 * (bench/sites.ts).
 */
const HEAP_GROWTH_PERCENT = 25;

/**
 * Starts an interactive worker. Resolves at once with an engine that queues tasks until it has started. One warm worker
 * takes the first requests while others start, in about 0.4 s: an idle worker with its libvips takes tens of MB, and there
 * may be one per core.
 */
export async function createEngine({
  modelsFolder,
  memoryBytes,
  keepsHeapSettings = false,
  ...others
}: EngineOptions): Promise<Engine> {
  const options = { ...others, memory: new MemoryBudget(memoryBytes ?? Number.POSITIVE_INFINITY) };
  // Nobody waits for what a warm thread saves the first image, and workers that only read pages need none.
  const cold = { ...options, warmThreads: false };
  // Not as worker options, because libvips starts threads itself. The heap of this thread keeps its initial setting.
  if (!keepsHeapSettings) {
    setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MIB}`);
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  }
  return new Pools({
    interactive: await createPool({ ...options, minWorkers: 1, extraWorkers: EXTRA_WORKERS }),
    createBackground: () => createPool({ ...cold, minWorkers: 0, niceness: NICENESS, renewAfterMs: RENEW_AFTER_MS }),
    createModel: () =>
      createPool({
        ...cold,
        workers: 1,
        minWorkers: 0,
        extraWorkers: EXTRA_MODEL_WORKERS,
        maxShortMs: MAX_SHORT_MODEL_MS,
        models: { folder: modelsFolder, threads: MODEL_THREADS },
        niceness: NICENESS,
        workerBaseBytes: MODEL_WORKER_BYTES,
        workerIdleMs: MODEL_IDLE_MS,
      }),
  });
}

/** A pool that is created for its first task, which saves the memory of its workers if it is never needed. */
class LazyPool {
  readonly #create: () => Promise<Engine>;
  #starting: Promise<Engine> | undefined;
  #pool: Engine | undefined;

  constructor(create: () => Promise<Engine>) {
    this.#create = create;
  }

  /** Undefined until the pool is created. */
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
        // The next task retries.
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
  readonly #background: LazyPool;
  readonly #model: LazyPool;
  #closing = false;

  constructor({ interactive, createBackground, createModel }: PoolsOptions) {
    this.#interactive = interactive;
    this.#background = new LazyPool(createBackground);
    this.#model = new LazyPool(createModel);
  }

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<TaskResult<N>> {
    const pool = await this.#poolFor(name, input, options);
    return pool.run(name, input, options);
  }

  async #poolFor<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<Engine> {
    // Closing: the interactive pool refuses the task, and no other pool is created any more.
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
