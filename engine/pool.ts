/**
 * A pool of workers: admission, fair scheduling, time limits and cancellation. The queue is this project's own, so that
 * accounts share the workers fairly and a cancelled task never reaches a worker.
 */
import { Failure } from '../base/failure.ts';
import type { AvailableFormats } from '../codecs/formats/registry.ts';
import { compileModules } from '../codecs/modules.ts';
import { Admission } from './admission.ts';
import type { Engine, EngineObserver, RunOptions, TaskOutcome } from './engine.ts';
import { Cancelled, internalError, overloaded, processingTimeout, shuttingDown } from './errors.ts';
import { MemoryBudget, type MemoryShare } from './memory-budget.ts';
import { type CompletePoolOptions, POOL_DEFAULTS, type PoolOptions } from './pool-options.ts';
import type { WorkerSettings } from './settings.ts';
import { sourceFiles } from './source-files.ts';
import type { TaskInput, TaskMessage, TaskName, TaskResult } from './task.ts';
import { loadOf } from './task-load.ts';
import { timeFactor } from './task-requirements.ts';
import { Workers, type WorkerTask } from './workers.ts';

/** Scheduler weight of a thread by its niceness: each step is a factor of 1.25 (Linux, sched_prio_to_weight). */
const weightOf = (niceness: number): number => 1.25 ** -niceness;
/** Share of the last task in the moving average of used to estimated time, and the maximum ratio of one task. */
const LEARNING_RATE = 0.1;
const MAX_TIME_RATIO = 5;

interface QueuedTask extends WorkerTask {
  queuedAt: number;
  start: () => void;
}

/** Returned for a task that needs more memory than was reserved. It restarts when there is enough. */
class NeedsMemory<N extends TaskName> {
  readonly bytes: number;
  readonly input: TaskInput<N>;

  constructor(bytes: number, input: TaskInput<N>) {
    this.bytes = bytes;
    this.input = input;
  }
}

/** When a client should retry, in whole seconds from 1 to 60. */
const secondsToWait = (waitMs: number): number => Math.min(60, Math.max(1, Math.ceil(waitMs / 1000)));

/** Starts the workers. Resolves at once with an engine that queues tasks until they have started. */
export async function createPool(options: PoolOptions): Promise<Engine> {
  const memory = new MemoryBudget(Number.POSITIVE_INFINITY);
  return new Pool({ ...POOL_DEFAULTS, memory, ...options }, await compileModules());
}

class Pool implements Engine {
  readonly #options: CompletePoolOptions;
  readonly #observer: EngineObserver;
  readonly #workers: Workers;
  readonly #memory: MemoryShare;
  readonly #admission: Admission<QueuedTask>;
  /** Moving average of used to estimated processor time. */
  #usedToEstimated = 1;
  #idleTimer: NodeJS.Timeout | undefined;
  /** No new tasks are accepted. */
  #closing = false;
  #onIdle: () => void = () => {};

  constructor(options: CompletePoolOptions, modules: WorkerSettings['modules']) {
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#workers = new Workers(options, modules, {
      runningTasks: () => this.#admission.running,
      onRoom: () => this.#dispatch(),
    });
    this.#memory = options.memory.join(this.#workers);
    this.#admission = new Admission(
      options.admission,
      {
        regular: options.workers,
        extra: options.extraWorkers,
        maxShortMs: options.maxShortMs,
      },
      this.#memory,
    );
  }

  ready(): Promise<AvailableFormats> {
    return this.#workers.ready;
  }

  stats() {
    return {
      workers: this.#workers.count,
      busy: this.#admission.running,
      queued: { interactive: this.#admission.queued('interactive'), background: this.#admission.queued('background') },
      admittedBytes: this.#admission.bytes,
      admittedPixels: this.#admission.pixels,
      wasmBytes: this.#workers.wasmBytes,
      models: this.#workers.models,
    };
  }

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options: RunOptions = {}): Promise<TaskResult<N>> {
    const { signal, lane = 'interactive', owner } = options;
    if (this.#closing) throw shuttingDown();
    if (signal?.aborted) throw new Cancelled();
    const files = sourceFiles(input);
    const load = loadOf(name, input, files, this.#options.limits);
    const task: QueuedTask & { name: N } = {
      ...{ name, lane, owner, ...load },
      ...{ queuedAt: performance.now(), start: () => {}, onWorker: () => {}, workerEnded: undefined },
    };

    const waitingMs = this.#expectedWaitMs(task);
    // A client does not wait indefinitely. Background tasks and the command line may.
    const isTooLong = owner && lane === 'interactive' && waitingMs > this.#options.maxWaitMs;
    if (isTooLong || !this.#admission.admit(task)) {
      this.#report(task, 'overloaded');
      throw overloaded(secondsToWait(waitingMs));
    }
    let current = input;
    for (let attempt = 1; ; attempt += 1) {
      await this.#waitForSlot(task, signal);
      const waitMs = performance.now() - task.queuedAt;
      if (attempt === 1) options.onStart?.(waitMs);
      const outcome = await this.#runOnce(task, current, waitMs, signal);
      if (!(outcome instanceof NeedsMemory)) return outcome;
      if (signal?.aborted) {
        this.#report(task, 'cancelled', waitMs);
        throw new Cancelled();
      }
      task.heldBytes = outcome.bytes;
      current = outcome.input;
      this.#admission.queueAgain(task);
    }
  }

  async #runOnce<N extends TaskName>(
    task: QueuedTask & { name: N },
    input: TaskInput<N>,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<TaskResult<N> | NeedsMemory<N>> {
    const stop = new AbortController();
    task.workerEnded = undefined;
    const { timeoutMs, processorTime } = this.#options;
    const limitMs = timeoutMs * timeFactor(task.name, input);
    const onLimit = () => stop.abort('timeout');
    const run = processorTime.start({ limitMs, weight: weightOf(this.#workers.nicenessFor(task)), onLimit });
    task.onWorker = (threadId) => run.begin(this.#workers.systemThreads(threadId));
    let isEnded = true;
    try {
      const outcome = await this.#execute(task, input, { waitMs, limitMs, stop }, signal);
      isEnded = !(outcome instanceof NeedsMemory);
      return outcome;
    } finally {
      run.end();
      const usedMs = run.usedMs();
      if (isEnded) this.#updateTimeRatio(task, usedMs);
      this.#workers.unassign(task);
      const released = this.#releaseSlot(task, usedMs);
      // The memory counted for the task must not change before.
      if (!isEnded) await released;
    }
  }

  /**
   * A task that ended its worker keeps its slot until another worker is warm, and is charged for that time. Otherwise a
   * client with such files would take the slot, and then the worker, of another account.
   */
  async #releaseSlot(task: QueuedTask, usedMs: number): Promise<void> {
    if (!task.workerEnded || !this.#keepsWarm) return this.#release(task, usedMs);
    const endedAt = performance.now();
    await task.workerEnded;
    await this.#workers.startReplacement(task).catch(() => {});
    this.#release(task, usedMs + performance.now() - endedAt);
  }

  #release(task: QueuedTask, usedMs: number): void {
    this.#admission.release(task, usedMs, performance.now());
    this.#dispatch();
    // After each task at most one worker has grown.
    if (this.#memory.isKeptTooMuch) this.#workers.retireLargest();
    this.#workers.startMissing();
  }

  /**
   * Whether workers are replaced before the slot is released, so that interactive requests never wait for workers that
   * others' tasks have ended.
   */
  get #keepsWarm(): boolean {
    return this.#options.extraWorkers.short > 0 && !this.#closing;
  }

  /** Resolves when the task may start. */
  #waitForSlot(task: QueuedTask, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = () => {
        if (!this.#admission.withdraw(task)) return;
        this.#report(task, 'cancelled', performance.now() - task.queuedAt);
        reject(new Cancelled());
        // It may have blocked memory that others can use now.
        this.#dispatch();
      };
      task.start = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    const next = () => this.#admission.next(performance.now());
    for (let task = next(); task; task = next()) task.start();
    if (this.#admission.running > 0) {
      clearTimeout(this.#idleTimer);
      this.#idleTimer = undefined;
      return;
    }
    this.#onIdle();
    // Not postponed by what other pools do, which calls this method too.
    if (!this.#closing) this.#idleTimer ??= setTimeout(() => this.#trim(), this.#options.idleTrimMs).unref();
  }

  #trim(): void {
    this.#workers.trim().catch(() => {
      // A worker that cannot start is counted as a crash, and the next task tries again.
    });
  }

  async #execute<N extends TaskName>(
    task: QueuedTask & { name: N },
    input: TaskInput<N>,
    { waitMs, limitMs, stop }: { waitMs: number; limitMs: number; stop: AbortController },
    signal: AbortSignal | undefined,
  ): Promise<TaskResult<N> | NeedsMemory<N>> {
    const started = performance.now();
    const cancel = () => stop.abort('cancel');
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const end = (outcome: TaskOutcome, bytesOut = 0) =>
      this.#report(task, outcome, waitMs, performance.now() - started, bytesOut);

    try {
      const { name, heldBytes } = task;
      const message: TaskMessage<N> = { name, input, heldBytes, niceness: this.#workers.nicenessFor(task) };
      const reply = await this.#workers.run(message, task, {
        transferList: sourceFiles(input).map((file) => file.data),
        signal: stop.signal,
      });
      this.#workers.recordReport(task, reply.report);
      if ('neededBytes' in reply) return new NeedsMemory(reply.neededBytes, reply.input);
      if (!reply.ok) {
        end(reply.failure.code === 'internal_error' ? 'failed' : 'refused');
        throw reply.failure.code === 'internal_error' ? internalError(reply.cause) : Failure.fromRecord(reply.failure);
      }
      end('done', 'data' in reply.result ? reply.result.data.byteLength : 0);
      return reply.result;
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (this.#workers.isAssigned(task)) task.workerEnded = Promise.resolve();
      if (stop.signal.aborted) {
        const timedOut = stop.signal.reason === 'timeout';
        this.#observer.workerRestarted?.(timedOut ? 'timeout' : 'cancel');
        end(timedOut ? 'timeout' : 'cancelled');
        throw timedOut ? processingTimeout(limitMs / 1000) : new Cancelled();
      }
      // The worker died during the task: out of memory or a crash. Piscina has already started another.
      this.#observer.workerRestarted?.('crash');
      end('crashed');
      throw internalError(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  #report(task: QueuedTask, outcome: TaskOutcome, waitMs = 0, runMs = 0, bytesOut = 0): void {
    this.#observer.taskEnded?.({
      task: task.name,
      lane: task.lane,
      outcome,
      waitMs,
      runMs,
      bytesIn: task.bytes,
      bytesOut,
    });
  }

  /** Updates the ratio of used to estimated time. */
  #updateTimeRatio({ costMs }: QueuedTask, usedMs: number): void {
    this.#usedToEstimated += LEARNING_RATE * (Math.min(MAX_TIME_RATIO, usedMs / costMs) - this.#usedToEstimated);
  }

  #expectedWaitMs(task: QueuedTask): number {
    return this.#admission.expectedWaitMs(task) * this.#usedToEstimated;
  }

  async close(graceMs = 30_000): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#idleTimer);
    if (this.#admission.running > 0 || this.stats().queued.interactive + this.stats().queued.background > 0) {
      let timer: NodeJS.Timeout | undefined;
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([idle, late]);
      clearTimeout(timer);
    }
    this.#options.memory.leave(this.#workers);
    await this.#workers.close();
  }
}
