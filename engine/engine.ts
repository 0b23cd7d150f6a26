/** The interface of the engine for its callers: run a task, get a result. The implementation is in pool.ts. */
import type { AvailableFormats } from '../codecs/formats/registry.ts';
import type { LoadReport } from '../models/runtime.ts';
import type { Lane, TaskInput, TaskName, TaskResult } from './task.ts';
import type { Owner } from './ticket.ts';
import { REPLACE_REASONS } from './worker-recycling.ts';

export interface RunOptions {
  /** Aborts the task when nobody waits for the result any more: a queued task is dropped, a running one is stopped. */
  signal?: AbortSignal;
  /** Interactive by default. */
  lane?: Lane;
  /** Whom the task is for. Accounts share the processor time fairly, and so do the keys of one account. */
  owner?: Owner;
  /** Called once, when a worker starts the task, with the time it waited in milliseconds. */
  onStart?: (waitedMs: number) => void;
}

export const TASK_OUTCOMES = ['done', 'refused', 'failed', 'cancelled', 'timeout', 'crashed', 'overloaded'] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];
export const RESTART_REASONS = [...REPLACE_REASONS, 'crash', 'cancel', 'timeout'] as const;
export type RestartReason = (typeof RESTART_REASONS)[number];

/** Receives the events for the metrics. Every method is optional and must not throw. */
export interface EngineObserver {
  taskEnded?(event: {
    task: TaskName;
    lane: Lane;
    outcome: TaskOutcome;
    waitMs: number;
    runMs: number;
    bytesIn: number;
    bytesOut: number;
  }): void;
  workerRestarted?(reason: RestartReason): void;
}

export interface EngineStats {
  workers: number;
  busy: number;
  queued: Record<Lane, number>;
  /** Bytes and estimated pixels of all tasks queued or running. */
  admittedBytes: number;
  admittedPixels: number;
  /** WebAssembly memory of all workers as last reported, in bytes. */
  wasmBytes: number;
  /** Models that a worker has loaded, and those that failed to load the last time. */
  models: LoadReport;
}

export interface Engine {
  /**
   * Runs one task on a worker. The input's buffers are transferred: they are detached when this returns.
   * @throws Failure with the code of the problem; `overloaded` if the queue is full
   */
  run<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<TaskResult<N>>;
  stats(): EngineStats;
  /** Resolves when the workers have started, with the formats that they can read and write. */
  ready(): Promise<AvailableFormats>;
  /** Refuses new tasks with `shutting_down`, waits at most `graceMs` for running tasks, then ends the workers. */
  close(graceMs?: number): Promise<void>;
}
