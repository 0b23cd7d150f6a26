/** The settings of a pool and their defaults. */
import type { ModelSettings } from '../models/runtime.ts';
import type { AdmissionLimits, ExtraSlots } from './admission.ts';
import type { EngineObserver } from './engine.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { ProcessorTime } from './processor-time.ts';
import { DEFAULT_LIMITS, type EngineLimits } from './settings.ts';

export interface PoolOptions {
  /** Maximum number of regular worker threads. */
  workers: number;
  /** Workers that always run. The others start on demand and end after idling. */
  minWorkers?: number;
  /** Idle time after which a worker beyond `minWorkers` ends, in milliseconds. */
  workerIdleMs?: number;
  /** Additional worker threads for accounts that would otherwise wait for tasks of others. */
  extraWorkers?: ExtraSlots;
  /** A task is short if its estimated processor time is at most this, in milliseconds. */
  maxShortMs?: number;
  /** A task that would wait longer than this is refused as `overloaded`, in milliseconds. */
  maxWaitMs?: number;
  limits?: EngineLimits;
  admission?: AdmissionLimits;
  /** Processor time limit of an ordinary task, in milliseconds; `timeFactor` extends it for some tasks. */
  timeoutMs?: number;
  /** A worker is replaced after its task if its WebAssembly memory has grown by more than this, in bytes. */
  workerMemoryBytes?: number;
  /** Idle time after which used workers are replaced to free their memory, in milliseconds. */
  idleTrimMs?: number;
  /**
   * Minimum bytes of input and estimated pixels for replacing an idle worker. Below it, its memory has hardly grown.
   */
  trimAfterBytes?: number;
  /**
   * Work after which a worker is replaced even while tasks wait, in milliseconds; unlimited by default. Memory that
   * tasks leave behind accumulates and is freed only when the worker ends. Several workers are replaced one after
   * another.
   */
  renewAfterMs?: number;
  /**
   * Whether a worker starts the thread of libvips that computes images immediately, so that its first image does not
   * wait for it. Default: true.
   */
  warmThreads?: boolean;
  models?: ModelSettings;
  /** Niceness of the worker threads: 0 to 19; 19 yields most. */
  niceness?: number;
  observer?: EngineObserver;
  /** Memory that the workers of this and other pools may hold together; no limit by default. */
  memory?: MemoryBudget;
  /** Initial WebAssembly memory of each worker, most of it never touched, in bytes. */
  workerBaseBytes?: number;
  /** Measures the processor time of all tasks. */
  processorTime?: ProcessorTime;
  /** The worker's entry file. Tests of the pool use one that waits at barriers. */
  workerFile?: URL;
}

const MiB = 2 ** 20;

const DEFAULT_ADMISSION: AdmissionLimits = { tasks: 200, bytes: 4096 * MiB, pixels: 4_000_000_000 };
/** Shared by all pools of the process, because they share its processor time. */
const PROCESSOR_TIME = new ProcessorTime();
export const POOL_DEFAULTS = {
  extraWorkers: { short: 0, long: 0 },
  maxShortMs: 2000,
  maxWaitMs: 60_000,
  processorTime: PROCESSOR_TIME,
  limits: DEFAULT_LIMITS,
  admission: DEFAULT_ADMISSION,
  timeoutMs: 30_000,
  workerMemoryBytes: 384 * MiB,
  workerBaseBytes: 288 * MiB,
  workerIdleMs: 20_000,
  idleTrimMs: 10_000,
  trimAfterBytes: 32 * MiB,
  renewAfterMs: Number.POSITIVE_INFINITY,
  warmThreads: true,
  models: { folder: '', threads: 1 },
  niceness: 0,
};

/** The options with all defaults. */
export type CompletePoolOptions = PoolOptions & typeof POOL_DEFAULTS & Required<Pick<PoolOptions, 'memory'>>;
