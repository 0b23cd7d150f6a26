/**
 * The Piscina pool: admission, fair scheduling, time limits, cancellation, worker recycling. Piscina manages the
 * threads. The queue is this project's own, so that accounts share the workers fairly and a cancelled task never
 * reaches a worker.
 */
import { Piscina, queueOptionsSymbol } from 'piscina';
import { Failure } from '../base/failure.ts';
import type { AvailableFormats } from '../codecs/formats/registry.ts';
import { compileModules } from '../codecs/modules.ts';
import { ThreadList } from '../codecs/vips-thread-list.ts';
import type { LoadReport, ModelSettings } from '../models/runtime.ts';
import { Admission, type AdmissionLimits, type ExtraSlots } from './admission.ts';
import type { Engine, EngineObserver, RestartReason, RunOptions, TaskOutcome } from './engine.ts';
import { Cancelled, internalError, overloaded, processingTimeout, shuttingDown } from './errors.ts';
import { isCounted, MemoryBudget, type MemoryHolder, type MemoryShare, reusableNeedBytes } from './memory-budget.ts';
import { LONG_NICENESS } from './priority.ts';
import { ProcessorTime } from './processor-time.ts';
import { DEFAULT_LIMITS, type EngineLimits, type WorkerSettings } from './settings.ts';
import { sourceFiles } from './source-files.ts';
import type { TaskInput, TaskMessage, TaskName, TaskReply, TaskResult, WorkerReport, WorkerThreads } from './task.ts';
import { loadOf } from './task-load.ts';
import { timeFactor } from './task-requirements.ts';
import type { Ticket } from './ticket.ts';
import { Replacement } from './worker-recycling.ts';

export interface PoolOptions {
  /** Maximum number of regular worker threads. */
  workers: number;
  /** Workers that always run. The others start on demand and end after idling. */
  minWorkers?: number;
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
   * Whether a worker starts the threads of libvips immediately, so that its first image does not wait 0.3 s for them.
   * Default: true.
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
const DEFAULTS = {
  extraWorkers: { short: 0, long: 0 },
  maxShortMs: 2000,
  maxWaitMs: 60_000,
  processorTime: PROCESSOR_TIME,
  limits: DEFAULT_LIMITS,
  admission: DEFAULT_ADMISSION,
  timeoutMs: 30_000,
  workerMemoryBytes: 384 * MiB,
  workerBaseBytes: 288 * MiB,
  idleTrimMs: 10_000,
  trimAfterBytes: 32 * MiB,
  renewAfterMs: Number.POSITIVE_INFINITY,
  warmThreads: true,
  models: { folder: '', threads: 1 },
  niceness: 0,
};

/** Longer than the pauses between requests of users and of batches. */
const WORKER_IDLE_MS = 60_000;

/** Compiled in production, TypeScript in development. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './worker-development.mjs' : './worker-entry.js',
  import.meta.url,
);

/** Memory of a worker that has run no task. */
const IDLE_BYTES = 64 * MiB;
/** The untouched part of a worker's initial memory of 288 MiB. */
const UNTOUCHED_BYTES = 224 * MiB;

/** Scheduler weight of a thread by its niceness: each step is a factor of 1.25 (Linux, sched_prio_to_weight). */
const weightOf = (niceness: number): number => 1.25 ** -niceness;
/** Share of the last task in the moving average of used to estimated time, and the maximum ratio of one task. */
const LEARNING_RATE = 0.1;
const MAX_TIME_RATIO = 5;

interface QueuedTask extends Ticket {
  queuedAt: number;
  start: () => void;
  /** Called when a worker takes the task. */
  onWorker: (threadId: number) => void;
  /** Resolves when the worker has ended; undefined if it is not ending. */
  workerEnded: Promise<void> | undefined;
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

/** The task that starts a worker. */
const READY = 'ready';

/** When a client should retry, in whole seconds from 1 to 60. */
function secondsToWait(waitMs: number): number {
  return Math.min(60, Math.max(1, Math.ceil(waitMs / 1000)));
}

/** Starts the workers. Resolves at once with an engine that queues tasks until they have started. */
export async function createPool(options: PoolOptions): Promise<Engine> {
  const memory = new MemoryBudget(Number.POSITIVE_INFINITY);
  return new Pool({ ...DEFAULTS, memory, ...options }, await compileModules());
}

type CompleteOptions = PoolOptions & typeof DEFAULTS & Required<Pick<PoolOptions, 'memory'>>;

class Pool implements Engine {
  readonly #options: CompleteOptions;
  readonly #observer: EngineObserver;
  readonly #admission: Admission<QueuedTask>;
  readonly #piscina: Piscina<unknown, TaskReply>;
  /** Last report of each worker, by thread id. */
  readonly #reports = new Map<number, WorkerReport>();
  /** Bytes of input and pixels that each worker has processed since its start, by thread id. */
  readonly #bytesHandled = new Map<number, number>();
  /** The largest memory counted for a task of each worker, by thread id, in bytes. */
  readonly #maxHeldBytes = new Map<number, number>();
  /** Models that failed to load at the last attempt. Kept because replacing a worker does not repair them. */
  readonly #failedModels = new Set<string>();
  /** Workers with an exit listener, by thread id. */
  readonly #watched = new Set<number>();
  /** Workers that have finished loading, by thread id. */
  readonly #started = new Set<number>();
  /** Tracks the workers that are to be replaced. They get no more tasks. */
  readonly #replacement = new Replacement();
  /** Memory still held by workers that are ending and get no more tasks, by thread id, in bytes. */
  readonly #retiring = new Map<number, number>();
  /** The task of each worker, by thread id. */
  readonly #assigned = new Map<number, QueuedTask>();
  /** The system ids of the threads that compute for each worker, by thread id of the worker. */
  readonly #systemThreads = new Map<number, () => readonly number[]>();
  /** Workers that have been given a task, by thread id. */
  readonly #used = new Set<number>();
  /** Workers that have run long tasks, by thread id: a thread cannot raise its priority again. */
  readonly #lowPriority = new Set<number>();
  /** Non-zero while starting workers are meant for long tasks. */
  readonly #startsForLong = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #warm: Promise<AvailableFormats>;
  /** Moving average of used to estimated processor time. */
  #usedToEstimated = 1;
  readonly #holder: MemoryHolder = {
    keptBytes: () => this.#keptBytes(),
    // One worker is part of the process's base memory.
    idleBytes: () => Math.max(0, this.#workers - this.#surplus().length - 1) * IDLE_BYTES,
    reusableBytes: () => this.#reusable()?.bytes ?? 0,
    giveBack: (reusing) => this.#giveBack(reusing),
    onRoom: () => this.#dispatch(),
  };
  readonly #memory: MemoryShare;
  #idleTimer: NodeJS.Timeout | undefined;
  /** No new tasks are accepted. */
  #closing = false;
  /** Nothing runs any more. */
  #ended = false;
  #onIdle: () => void = () => {};

  constructor(options: CompleteOptions, modules: WorkerSettings['modules']) {
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#memory = options.memory.join(this.#holder);
    this.#admission = new Admission(
      options.admission,
      {
        regular: options.workers,
        extra: options.extraWorkers,
        maxShortMs: options.maxShortMs,
      },
      this.#memory,
    );
    const { limits, warmThreads, models, niceness } = options;
    const wasmBytes = options.workerBaseBytes + options.workerMemoryBytes;
    const replaceAfter = { wasmBytes, workedMs: options.renewAfterMs };
    const replacement = this.#replacement.shared;
    const startsForLong = this.#startsForLong;
    const settings: WorkerSettings = {
      ...{ modules, limits, warmThreads, models, niceness },
      ...{ startsForLong, replaceAfter, replacement },
    };
    this.#piscina = new Piscina({
      filename: (options.workerFile ?? WORKER_FILE).href,
      minThreads: this.#minWorkers,
      maxThreads: this.#maxWorkers,
      idleTimeout: WORKER_IDLE_MS,
      // With Atomics, a waiting worker blocks its event loop, and threads that libvips ends are never cleaned up.
      atomics: 'disabled',
      workerData: settings,
      loadBalancer: (task, workers) => {
        const free = workers.filter(({ currentUsage, id }) => currentUsage === 0 && this.#isUsable(id));
        const queued = task[queueOptionsSymbol] as QueuedTask | null;
        const chosen = queued ? this.#choose(free, this.#isHeavy(queued)) : this.#findUnused(free, workers.length);
        if (!chosen) return null;
        this.#used.add(chosen.id);
        this.#watch(chosen.id);
        if (queued) this.#assigned.set(chosen.id, queued);
        queued?.onWorker(chosen.id);
        if (queued && this.#isLong(queued)) this.#lowPriority.add(chosen.id);
        return chosen;
      },
    });
    this.#piscina.on('message', ({ threadId, systemId, niceness: startedWith, libvips }: WorkerThreads) => {
      if (startedWith > niceness) this.#lowPriority.add(threadId);
      const list = new ThreadList(libvips);
      this.#systemThreads.set(threadId, () => [systemId, ...list.ids]);
    });
    this.#piscina.on('workerCreate', ({ id }: { id: number }) => {
      this.#started.add(id);
      this.#watch(id);
    });
    // Piscina replaces a worker that dies without a task, for example an idle one out of memory. Only count it.
    this.#piscina.on('error', () => this.#observer.workerRestarted?.('crash'));
    this.#warm = this.#warmUp();
    this.#warm.catch(() => {});
  }

  async #warmUp(): Promise<AvailableFormats> {
    const [formats] = (await Promise.all(Array.from({ length: this.#minWorkers }, () => this.#startWorker()))) as [
      AvailableFormats,
    ];
    return formats;
  }

  /** Forgets the worker when it ends, however it ends: tasks may wait for its memory. */
  #watch(threadId: number): void {
    if (this.#watched.has(threadId)) return;
    const thread = this.#piscina.threads.find((candidate) => candidate.threadId === threadId);
    // A thread that has ended no longer knows its id.
    thread?.once('exit', () => {
      for (const known of [this.#watched, this.#started, this.#used, this.#lowPriority, this.#systemThreads])
        known.delete(threadId);
      this.#forgetMemory(threadId);
      if (!this.#ended) this.#options.memory.announceRoom();
    });
    if (thread) this.#watched.add(threadId);
  }

  #forgetMemory(threadId: number): void {
    for (const known of [this.#reports, this.#bytesHandled, this.#maxHeldBytes]) known.delete(threadId);
  }

  /** Resolves when an unused worker is warm. */
  async #startWorker(): Promise<AvailableFormats> {
    // Piscina lets tasks overtake only those that can be aborted.
    const { signal } = new AbortController();
    return (await this.#piscina.run(undefined, { name: READY, signal })) as unknown as AvailableFormats;
  }

  #isUsable(threadId: number): boolean {
    return !this.#replacement.isSpent(threadId) && !this.#retiring.has(threadId);
  }

  /** Finds a worker for the task that starts one: null while Piscina may start another. */
  #findUnused<W extends { id: number }>(free: readonly W[], threads: number): W | null {
    return free.find(({ id }) => !this.#used.has(id)) ?? (threads < this.#maxWorkers ? null : (free[0] ?? null));
  }

  /**
   * Selects a worker. Heavy tasks prefer one that has run long tasks, then the one that has grown most, so that others
   * stay small, then the one that has done least, because heavy tasks may end it. Other tasks use the opposite order:
   * the worker that has done most has compiled its code.
   */
  #choose<W extends { id: number }>(free: readonly W[], isHeavy: boolean): W | null {
    // A worker that is still starting would delay the task. The first workers are not announced yet.
    const started = this.#started.size === 0 ? free : free.filter(({ id }) => this.#started.has(id));
    const sign = isHeavy ? 1 : -1;
    const nice = ({ id }: W) => Number(this.#lowPriority.has(id));
    const grown = ({ id }: W) => this.#grownBytes(id);
    const handled = ({ id }: W) => this.#bytesHandled.get(id) ?? 0;
    const [first] = started.toSorted(
      (a, b) => sign * (nice(b) - nice(a) || grown(b) - grown(a) || handled(a) - handled(b)),
    );
    return first ?? null;
  }

  #isHeavy(task: Ticket): boolean {
    return isCounted(task.heldBytes) || this.#isLong(task);
  }

  #isLong({ costMs }: Ticket): boolean {
    return costMs > this.#options.maxShortMs;
  }

  #nicenessFor(task: Ticket): number {
    return this.#isLong(task) ? Math.max(this.#options.niceness, LONG_NICENESS) : this.#options.niceness;
  }

  /** Memory that a worker has grown by for its tasks. It never shrinks. */
  #grownBytes(threadId: number): number {
    const grown = (this.#reports.get(threadId)?.wasmBytes ?? 0) - this.#options.workerBaseBytes;
    // Memory grows only once the initial memory is used up.
    if (grown > 0) return UNTOUCHED_BYTES + grown;
    // Otherwise the touched part is only known from the memory counted for its tasks.
    return Math.min(UNTOUCHED_BYTES, this.#maxHeldBytes.get(threadId) ?? 0);
  }

  /** Memory that a worker keeps beyond what is counted for its task. */
  #keptBy(threadId: number): number {
    const task = this.#assigned.get(threadId);
    return Math.max(0, this.#grownBytes(threadId) - (task ? reusableNeedBytes(task) : 0));
  }

  #keptBytes(): number {
    let bytes = this.#surplus().length * IDLE_BYTES;
    for (const threadId of this.#reports.keys()) bytes += this.#keptBy(threadId);
    for (const retiring of this.#retiring.values()) bytes += retiring;
    return bytes;
  }

  /**
   * Idle workers beyond the regular number, without the one for the next heavy task. Those that have grown least,
   * because the growth of the others is counted separately.
   */
  #surplus(): readonly { id: number }[] {
    const count = this.#workers - this.#options.workers;
    if (count <= 0) return [];
    const next = this.#reusable()?.threadId;
    return this.#idle()
      .filter(({ id }) => id !== next)
      .toSorted((a, b) => this.#grownBytes(a.id) - this.#grownBytes(b.id))
      .slice(0, count);
  }

  /** The worker that will run the next heavy task. */
  #reusable(): { threadId: number; bytes: number } | undefined {
    const chosen = this.#choose(this.#idle(), true);
    return chosen ? { threadId: chosen.id, bytes: this.#grownBytes(chosen.id) } : undefined;
  }

  /** Workers without a task. */
  #idle(): readonly { id: number }[] {
    // Started tasks without a worker will take them first.
    if (this.#admission.running > this.#assigned.size) return [];
    return [...new Set([...this.#started, ...this.#reports.keys()])]
      .filter((threadId) => !this.#assigned.has(threadId) && this.#isUsable(threadId))
      .map((id) => ({ id }));
  }

  /** Ends the idle worker that has grown most, even if it is the one for the next heavy task. */
  #retireLargest(): void {
    const [largest] = this.#idle().toSorted((a, b) => this.#grownBytes(b.id) - this.#grownBytes(a.id));
    if (largest) void this.#retire(largest.id, 'memory');
  }

  #giveBack(reusing: number): void {
    const reusable = this.#reusable();
    const spared = reusable && reusable.bytes <= reusing ? reusable.threadId : undefined;
    for (const { id } of this.#surplus()) if (id !== spared) void this.#retire(id, 'memory');
    for (const threadId of [...this.#reports.keys()]) {
      if (threadId === spared || this.#keptBy(threadId) === 0) continue;
      if (this.#assigned.has(threadId)) this.#replacement.mark(threadId);
      else void this.#retire(threadId, 'memory');
    }
  }

  /** Number of workers, excluding those that are ending. */
  get #workers(): number {
    return this.#piscina.threads.length - this.#retiring.size;
  }

  get #minWorkers(): number {
    return this.#options.minWorkers ?? this.#options.workers;
  }

  get #maxWorkers(): number {
    const { workers, extraWorkers } = this.#options;
    return workers + extraWorkers.short + extraWorkers.long;
  }

  ready(): Promise<AvailableFormats> {
    return this.#warm;
  }

  stats() {
    return {
      workers: this.#piscina.threads.length,
      busy: this.#admission.running,
      queued: { interactive: this.#admission.queued('interactive'), background: this.#admission.queued('background') },
      admittedBytes: this.#admission.bytes,
      admittedPixels: this.#admission.pixels,
      wasmBytes: [...this.#reports.values()].reduce((sum, report) => sum + report.wasmBytes, 0),
      models: this.#models(),
    };
  }

  #models(): LoadReport {
    const broken = [...this.#failedModels].map((id) => [id, 'failed'] as const);
    const loaded = [...this.#reports.values()].flatMap(({ models }) =>
      Object.entries(models).filter(([, state]) => state === 'loaded'),
    );
    return Object.fromEntries([...broken, ...loaded]);
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
    const run = processorTime.start({ limitMs, weight: weightOf(this.#nicenessFor(task)), onLimit });
    task.onWorker = (threadId) => run.begin(this.#systemThreads.get(threadId));
    let isEnded = true;
    try {
      const outcome = await this.#execute(task, input, { waitMs, limitMs, stop }, signal);
      isEnded = !(outcome instanceof NeedsMemory);
      return outcome;
    } finally {
      run.end();
      const usedMs = run.usedMs();
      if (isEnded) this.#updateTimeRatio(task, usedMs);
      for (const [threadId, assigned] of this.#assigned) if (assigned === task) this.#assigned.delete(threadId);
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
    await this.#startReplacement(task).catch(() => {});
    this.#release(task, usedMs + performance.now() - endedAt);
  }

  /** The next long task will get it, so its start yields to short tasks if another worker is available for them. */
  async #startReplacement(task: QueuedTask): Promise<void> {
    const isForLong =
      this.#isLong(task) && [...this.#started].some((id) => this.#isUsable(id) && !this.#lowPriority.has(id));
    if (isForLong) Atomics.add(this.#startsForLong, 0, 1);
    try {
      await this.#startWorker();
    } finally {
      if (isForLong) Atomics.sub(this.#startsForLong, 0, 1);
    }
  }

  #release(task: QueuedTask, usedMs: number): void {
    this.#admission.release(task, usedMs, performance.now());
    this.#dispatch();
    // After each task at most one worker has grown.
    if (this.#memory.isKeptTooMuch) this.#retireLargest();
    this.#startMissing();
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
    clearTimeout(this.#idleTimer);
    const next = () => this.#admission.next(performance.now());
    for (let task = next(); task; task = next()) task.start();
    if (this.#admission.running > 0) return;
    this.#onIdle();
    if (!this.#closing) this.#idleTimer = setTimeout(() => this.#trim(), this.#options.idleTrimMs).unref();
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
      const message: TaskMessage<N> = { name, input, heldBytes, niceness: this.#nicenessFor(task) };
      const reply = (await this.#piscina.run(
        { ...message, [queueOptionsSymbol]: task },
        { transferList: sourceFiles(input).map((file) => file.data), signal: stop.signal },
      )) as TaskReply<N>;
      this.#recordReport(task, reply.report);
      if ('neededBytes' in reply) return new NeedsMemory(reply.neededBytes, reply.input);
      if (!reply.ok) {
        end(reply.failure.code === 'internal_error' ? 'failed' : 'refused');
        throw reply.failure.code === 'internal_error' ? internalError(reply.cause) : Failure.fromRecord(reply.failure);
      }
      end('done', 'data' in reply.result ? reply.result.data.byteLength : 0);
      return reply.result;
    } catch (error) {
      if (error instanceof Failure) throw error;
      if ([...this.#assigned.values()].includes(task)) task.workerEnded = Promise.resolve();
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

  /** Records the report of a worker after a task. */
  #recordReport(task: QueuedTask, report: WorkerReport): void {
    this.#reports.set(report.threadId, report);
    const bytes = (this.#bytesHandled.get(report.threadId) ?? 0) + task.bytes + task.heldBytes;
    this.#bytesHandled.set(report.threadId, bytes);
    const held = Math.max(this.#maxHeldBytes.get(report.threadId) ?? 0, isCounted(task.heldBytes) ? task.heldBytes : 0);
    this.#maxHeldBytes.set(report.threadId, held);
    for (const [id, state] of Object.entries(report.models)) {
      if (state === 'failed') this.#failedModels.add(id);
      else this.#failedModels.delete(id);
    }
    const { threadId, replace } = report;
    if (replace || this.#replacement.isSpent(threadId)) task.workerEnded = this.#retire(threadId, replace ?? 'memory');
  }

  /** Resolves when the worker has ended. */
  async #retire(threadId: number, reason: RestartReason): Promise<void> {
    const thread = this.#piscina.threads.find((candidate) => candidate.threadId === threadId);
    if (!thread || this.#retiring.has(threadId)) return;
    this.#retiring.set(threadId, IDLE_BYTES + this.#grownBytes(threadId));
    this.#forgetMemory(threadId);
    this.#observer.workerRestarted?.(reason);
    await thread.terminate();
    this.#retiring.delete(threadId);
    this.#startMissing();
    this.#options.memory.announceRoom();
  }

  /**
   * Tasks that arrived while a worker was ending wait for its successor, and Piscina starts one only for a new task.
   */
  #startMissing(): void {
    if (this.#ended || this.#admission.running <= this.#workers) return;
    this.#startWorker().catch(() => {});
  }

  /** WebAssembly memory never shrinks. Replacing an idle worker frees it at no cost to waiting tasks. */
  #trim(): void {
    for (const [threadId, bytes] of this.#bytesHandled)
      if (bytes > this.#options.trimAfterBytes) void this.#retire(threadId, 'memory');
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
    this.#ended = true;
    this.#options.memory.leave(this.#holder);
    await this.#piscina.destroy();
  }
}
