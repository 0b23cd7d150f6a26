/** The engine as its callers see it: give it a task, get a result. What is behind it stands in pool.ts. */
import type { AvailableFormats } from '../codecs/formats.ts';
import type { LoadReport } from '../models/runtime.ts';
import type { ReplaceReason } from './replacement.ts';
import type { Lane, TaskInput, TaskName, TaskResult } from './task.ts';
import type { Owner } from './ticket.ts';

export interface RunOptions {
  /** Fires when nobody waits for the answer any more: queued work is dropped, running work is stopped. */
  signal?: AbortSignal;
  /** Default interactive. */
  lane?: Lane;
  /** Who it is for. Accounts take turns, and so do the keys of one account. */
  owner?: Owner;
  /** Called once, when a worker takes the task up; gives the time it waited, in milliseconds. */
  onStart?: (waitedMs: number) => void;
}

export type TaskOutcome = 'done' | 'refused' | 'failed' | 'cancelled' | 'timeout' | 'crashed' | 'overloaded';
export type RestartReason = ReplaceReason | 'crash' | 'cancel' | 'timeout';

/** What the engine tells whoever keeps the metrics. Every method is optional and must not throw. */
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
  /** Models that a worker holds, and those that last did not load. */
  models: LoadReport;
}

export interface Engine {
  /**
   * Runs one task on a worker. The input's buffers are transferred: they are detached when this returns.
   * @throws Failure with the code of whatever went wrong; `overloaded` when the queue is full
   */
  run<N extends TaskName>(name: N, input: TaskInput<N>, options?: RunOptions): Promise<TaskResult<N>>;
  stats(): EngineStats;
  /** Resolves when the workers are up, with what they can read and write. */
  ready(): Promise<AvailableFormats>;
  /** Refuses new work with `shutting_down`, waits for running tasks at most `graceMs`, ends the workers. */
  close(graceMs?: number): Promise<void>;
}
