/**
 * Two pools behind one engine. What runs a model waits only for others that do: an inference takes a second or more and
 * all cores, and ordinary work must not stand behind it. Its worker yields the cores to the others.
 */
import { availableParallelism } from 'node:os';
import type { Engine, EngineStats, RunOptions } from './engine.ts';
import { needsModel } from './needs.ts';
import { createPool, type PoolOptions } from './pool.ts';
import type { TaskInput, TaskName, TaskResult } from './task.ts';

export interface EngineOptions extends Omit<PoolOptions, 'models' | 'niceness'> {
  /** Folder of the installed models. */
  modelsFolder: string;
}

/**
 * One worker with several threads, because as many workers would each hold every model. On two cores small ordinary requests
 * had a p95 of 41 ms alone and of 44 ms beside four cut-outs (bench/model-lanes.ts); with more cores it has not been measured.
 */
const MODEL_THREADS = Math.min(4, availableParallelism());
const MODEL_NICENESS = 10;
/** A loaded model is worth keeping for the next request, but not for ever. */
const MODEL_IDLE_MS = 60_000;

/** Starts the workers, but for the one with models. Resolves at once with an engine that queues until they are up. */
export async function createEngine({ modelsFolder, ...options }: EngineOptions): Promise<Engine> {
  const createModelPool = () =>
    createPool({
      ...options,
      workers: 1,
      models: { folder: modelsFolder, threads: MODEL_THREADS },
      niceness: MODEL_NICENESS,
      idleTrimMs: MODEL_IDLE_MS,
      trimAfterBytes: 0,
    });
  return new Pools(await createPool(options), createModelPool);
}

class Pools implements Engine {
  readonly #ordinary: Engine;
  readonly #createModelPool: () => Promise<Engine>;
  /** From the first task that runs a model: a service that never sees one saves the memory of a worker. */
  #modelPool: Promise<Engine> | undefined;
  readonly #started: Engine[];
  #closing = false;

  constructor(ordinary: Engine, createModelPool: () => Promise<Engine>) {
    this.#ordinary = ordinary;
    this.#createModelPool = createModelPool;
    this.#started = [ordinary];
  }

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<TaskResult<N>> {
    const pool = needsModel(name, input) && !this.#closing ? await this.#models() : this.#ordinary;
    return pool.run(name, input, options);
  }

  #models(): Promise<Engine> {
    this.#modelPool ??= this.#createModelPool().then(
      (pool) => {
        this.#started.push(pool);
        return pool;
      },
      (error: unknown) => {
        // The next request tries again.
        this.#modelPool = undefined;
        throw error;
      },
    );
    return this.#modelPool;
  }

  stats() {
    return this.#started.map((pool) => pool.stats()).reduce(sum);
  }

  ready() {
    return this.#ordinary.ready();
  }

  async close(graceMs?: number): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#ordinary, this.#modelPool].map(async (pool) => (await pool)?.close(graceMs)));
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
