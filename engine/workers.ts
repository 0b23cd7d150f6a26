/**
 * The worker threads of a pool: which one runs a task, what each has grown to, and when it is replaced. Piscina manages
 * the threads.
 */
import { Piscina, queueOptionsSymbol } from 'piscina';
import type { AvailableFormats } from '../codecs/formats/registry.ts';
import { ThreadList } from '../codecs/vips-thread-list.ts';
import type { LoadReport } from '../models/runtime.ts';
import type { RestartReason } from './engine.ts';
import { isCounted, type MemoryHolder, reusableNeedBytes } from './memory-budget.ts';
import type { CompletePoolOptions } from './pool-options.ts';
import { LONG_NICENESS } from './priority.ts';
import type { WorkerSettings } from './settings.ts';
import type { TaskMessage, TaskName, TaskReply, WorkerReport, WorkerThreads } from './task.ts';
import type { Ticket } from './ticket.ts';
import { WorkerMemory } from './worker-memory.ts';
import { Replacement } from './worker-recycling.ts';

/** Compiled in production, TypeScript in development. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './worker-development.mjs' : './worker-entry.js',
  import.meta.url,
);

/** Memory of a worker that has run no task. */
const IDLE_BYTES = 64 * 2 ** 20;

/** The task that starts a worker. */
const READY = 'ready';

/** A task that a worker runs or will run. */
export interface WorkerTask extends Ticket {
  /** Called when a worker takes the task. */
  onWorker: (threadId: number) => void;
  /** Resolves when the worker has ended; undefined if it is not ending. */
  workerEnded: Promise<void> | undefined;
}

/** What the workers need of their pool. */
interface WorkersPool {
  /** Number of tasks that have started and not ended. Some may not have a worker yet. */
  runningTasks: () => number;
  /** Called when a waiting task may fit into memory. */
  onRoom: () => void;
}

/** In its maps and sets, workers are named by their thread id. */
export class Workers implements MemoryHolder {
  readonly #options: CompletePoolOptions;
  readonly #pool: WorkersPool;
  readonly #piscina: Piscina<unknown, TaskReply>;
  readonly #memory: WorkerMemory;
  /** Models that failed to load at the last attempt. Kept because replacing a worker does not repair them. */
  readonly #failedModels = new Set<string>();
  /** Workers with an exit listener. */
  readonly #watched = new Set<number>();
  /** Workers that have finished loading. */
  readonly #started = new Set<number>();
  /** Tracks the workers that are to be replaced. They get no more tasks. */
  readonly #replacement = new Replacement();
  /** Memory still held by workers that are ending and get no more tasks, in bytes. */
  readonly #retiring = new Map<number, number>();
  /** The task of each worker. */
  readonly #assigned = new Map<number, WorkerTask>();
  /** The system ids of the threads that compute for each worker. */
  readonly #systemThreads = new Map<number, () => readonly number[]>();
  /** Workers that have been given a task. */
  readonly #used = new Set<number>();
  /** Workers that have run long tasks: a thread cannot raise its priority again. */
  readonly #lowPriority = new Set<number>();
  /** Non-zero while starting workers are meant for long tasks. */
  readonly #startsForLong = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Resolves when the workers that always run are warm. */
  readonly ready: Promise<AvailableFormats>;
  /** Nothing runs any more. */
  #ended = false;

  constructor(options: CompletePoolOptions, modules: WorkerSettings['modules'], pool: WorkersPool) {
    this.#options = options;
    this.#pool = pool;
    this.#memory = new WorkerMemory(options.workerBaseBytes);
    this.#piscina = new Piscina({
      filename: (options.workerFile ?? WORKER_FILE).href,
      minThreads: this.#minimum,
      maxThreads: this.#maximum,
      idleTimeout: options.workerIdleMs,
      // With Atomics, a waiting worker blocks its event loop, and threads that libvips ends are never cleaned up.
      atomics: 'disabled',
      workerData: this.#settings(modules),
      loadBalancer: (task, workers) => {
        const free = workers.filter(({ currentUsage, id }) => currentUsage === 0 && this.#isUsable(id));
        const queued = task[queueOptionsSymbol] as WorkerTask | null;
        const chosen = queued ? this.#choose(free, this.#isHeavy(queued)) : this.#findUnused(free, workers.length);
        if (chosen) this.#assign(chosen.id, queued);
        return chosen;
      },
    });
    this.#piscina.on('message', ({ threadId, systemId, niceness, libvips }: WorkerThreads) => {
      if (niceness > options.niceness) this.#lowPriority.add(threadId);
      const list = new ThreadList(libvips);
      this.#systemThreads.set(threadId, () => [systemId, ...list.ids]);
    });
    this.#piscina.on('workerCreate', ({ id }: { id: number }) => {
      this.#started.add(id);
      this.#watch(id);
    });
    // Piscina replaces a worker that dies without a task, for example an idle one out of memory. Only count it.
    this.#piscina.on('error', () => options.observer?.workerRestarted?.('crash'));
    this.ready = this.#warmUp();
    this.ready.catch(() => {});
  }

  #settings(modules: WorkerSettings['modules']): WorkerSettings {
    const { limits, warmThreads, models, niceness, workerBaseBytes, workerMemoryBytes, renewAfterMs } = this.#options;
    return {
      ...{ modules, limits, warmThreads, models, niceness },
      startsForLong: this.#startsForLong,
      replaceAfter: { wasmBytes: workerBaseBytes + workerMemoryBytes, workedMs: renewAfterMs },
      replacement: this.#replacement.shared,
    };
  }

  get #minimum(): number {
    return this.#options.minWorkers ?? this.#options.workers;
  }

  get #maximum(): number {
    const { workers, extraWorkers } = this.#options;
    return workers + extraWorkers.short + extraWorkers.long;
  }

  /** Number of worker threads. */
  get count(): number {
    return this.#piscina.threads.length;
  }

  /** Number of workers, excluding those that are ending. */
  get #remaining(): number {
    return this.count - this.#retiring.size;
  }

  get wasmBytes(): number {
    return this.#memory.reports.reduce((sum, report) => sum + report.wasmBytes, 0);
  }

  get models(): LoadReport {
    const broken = [...this.#failedModels].map((id) => [id, 'failed'] as const);
    const loaded = this.#memory.reports.flatMap(({ models }) =>
      Object.entries(models).filter(([, state]) => state === 'loaded'),
    );
    return Object.fromEntries([...broken, ...loaded]);
  }

  /** Runs a task in a worker. Rejects when the worker dies. When the signal aborts, the worker is ended. */
  async run<N extends TaskName>(
    message: TaskMessage<N>,
    task: WorkerTask,
    options: { transferList: ArrayBuffer[]; signal: AbortSignal },
  ): Promise<TaskReply<N>> {
    return (await this.#piscina.run({ ...message, [queueOptionsSymbol]: task }, options)) as TaskReply<N>;
  }

  /** Whether a worker has taken the task. */
  isAssigned(task: WorkerTask): boolean {
    return [...this.#assigned.values()].includes(task);
  }

  /** Call when the task has left its worker. */
  unassign(task: WorkerTask): void {
    for (const [threadId, assigned] of this.#assigned) if (assigned === task) this.#assigned.delete(threadId);
  }

  /** The system ids of the threads that compute for a worker; undefined until it has reported them. */
  systemThreads(threadId: number): (() => readonly number[]) | undefined {
    return this.#systemThreads.get(threadId);
  }

  /** The niceness of a worker while it runs the task. */
  nicenessFor(task: Ticket): number {
    return this.#isLong(task) ? Math.max(this.#options.niceness, LONG_NICENESS) : this.#options.niceness;
  }

  /** Records the report of a worker after a task, and replaces the worker if that is due. */
  recordReport(task: WorkerTask, report: WorkerReport): void {
    this.#memory.record(task, report);
    for (const [id, state] of Object.entries(report.models)) {
      if (state === 'failed') this.#failedModels.add(id);
      else this.#failedModels.delete(id);
    }
    const { threadId, replace } = report;
    if (replace || this.#replacement.isSpent(threadId)) task.workerEnded = this.#retire(threadId, replace ?? 'memory');
  }

  /**
   * Starts a worker in place of the one that the task has ended. The next long task will get it, so its start yields to
   * short tasks if another worker is available for them.
   */
  async startReplacement(task: Ticket): Promise<void> {
    const isForLong =
      this.#isLong(task) && [...this.#started].some((id) => this.#isUsable(id) && !this.#lowPriority.has(id));
    if (isForLong) Atomics.add(this.#startsForLong, 0, 1);
    try {
      await this.#start();
    } finally {
      if (isForLong) Atomics.sub(this.#startsForLong, 0, 1);
    }
  }

  /**
   * Tasks that arrived while a worker was ending wait for its successor, and Piscina starts one only for a new task.
   */
  startMissing(): void {
    if (this.#ended || this.#pool.runningTasks() <= this.#remaining) return;
    this.#start().catch(() => {});
  }

  /** Ends the idle worker that has grown most, even if it is the one for the next heavy task. */
  retireLargest(): void {
    const [largest] = this.#idle().toSorted((a, b) => this.#memory.grownBytes(b.id) - this.#memory.grownBytes(a.id));
    if (largest) void this.#retire(largest.id, 'memory');
  }

  /**
   * WebAssembly memory never shrinks. Replacing an idle worker frees it at no cost to waiting tasks. Resolves when
   * the successors of workers that always run are warm: the next task would otherwise wait for their threads.
   */
  async trim(): Promise<void> {
    const grown = this.#memory.threadIds.filter((id) => this.#memory.handledBytes(id) > this.#options.trimAfterBytes);
    await Promise.all(grown.map((threadId) => this.#retire(threadId, 'memory')));
    if (grown.length > 0 && !this.#ended && this.#used.size < this.#minimum) await this.#start();
  }

  /** Ends all workers. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#piscina.destroy();
  }

  keptBytes(): number {
    let bytes = this.#surplus().length * IDLE_BYTES;
    for (const threadId of this.#memory.threadIds) bytes += this.#keptBy(threadId);
    for (const retiring of this.#retiring.values()) bytes += retiring;
    return bytes;
  }

  idleBytes(): number {
    // One worker is part of the process's base memory.
    return Math.max(0, this.#remaining - this.#surplus().length - 1) * IDLE_BYTES;
  }

  reusableBytes(): number {
    return this.#reusable()?.bytes ?? 0;
  }

  giveBack(reusingBytes: number): void {
    const reusable = this.#reusable();
    const spared = reusable && reusable.bytes <= reusingBytes ? reusable.threadId : undefined;
    for (const { id } of this.#surplus()) if (id !== spared) void this.#retire(id, 'memory');
    for (const threadId of this.#memory.threadIds) {
      if (threadId === spared || this.#keptBy(threadId) === 0) continue;
      if (this.#assigned.has(threadId)) this.#replacement.mark(threadId);
      else void this.#retire(threadId, 'memory');
    }
  }

  onRoom(): void {
    this.#pool.onRoom();
  }

  async #warmUp(): Promise<AvailableFormats> {
    const [formats] = (await Promise.all(Array.from({ length: this.#minimum }, () => this.#start()))) as [
      AvailableFormats,
    ];
    return formats;
  }

  /** Resolves when an unused worker is warm. */
  async #start(): Promise<AvailableFormats> {
    // Piscina lets tasks overtake only those that can be aborted.
    const { signal } = new AbortController();
    return (await this.#piscina.run(undefined, { name: READY, signal })) as unknown as AvailableFormats;
  }

  /** Forgets the worker when it ends, however it ends: tasks may wait for its memory. */
  #watch(threadId: number): void {
    if (this.#watched.has(threadId)) return;
    const thread = this.#piscina.threads.find((candidate) => candidate.threadId === threadId);
    // A thread that has ended no longer knows its id.
    thread?.once('exit', () => {
      for (const known of [this.#watched, this.#started, this.#used, this.#lowPriority, this.#systemThreads])
        known.delete(threadId);
      this.#memory.forget(threadId);
      if (!this.#ended) this.#options.memory.announceRoom();
    });
    if (thread) this.#watched.add(threadId);
  }

  /** Resolves when the worker has ended. */
  async #retire(threadId: number, reason: RestartReason): Promise<void> {
    const thread = this.#piscina.threads.find((candidate) => candidate.threadId === threadId);
    if (!thread || this.#retiring.has(threadId)) return;
    this.#retiring.set(threadId, IDLE_BYTES + this.#memory.grownBytes(threadId));
    this.#memory.forget(threadId);
    this.#options.observer?.workerRestarted?.(reason);
    await thread.terminate();
    this.#retiring.delete(threadId);
    this.startMissing();
    this.#options.memory.announceRoom();
  }

  #isUsable(threadId: number): boolean {
    return !this.#replacement.isSpent(threadId) && !this.#retiring.has(threadId);
  }

  #isHeavy(task: Ticket): boolean {
    return isCounted(task.heldBytes) || this.#isLong(task);
  }

  #isLong({ costMs }: Ticket): boolean {
    return costMs > this.#options.maxShortMs;
  }

  #assign(threadId: number, task: WorkerTask | null): void {
    this.#used.add(threadId);
    this.#watch(threadId);
    if (!task) return;
    this.#assigned.set(threadId, task);
    task.onWorker(threadId);
    if (this.#isLong(task)) this.#lowPriority.add(threadId);
  }

  /** Finds a worker for the task that starts one: null while Piscina may start another. */
  #findUnused<W extends { id: number }>(free: readonly W[], threads: number): W | null {
    return free.find(({ id }) => !this.#used.has(id)) ?? (threads < this.#maximum ? null : (free[0] ?? null));
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
    const grown = ({ id }: W) => this.#memory.grownBytes(id);
    const handled = ({ id }: W) => this.#memory.handledBytes(id);
    const [first] = started.toSorted(
      (a, b) => sign * (nice(b) - nice(a) || grown(b) - grown(a) || handled(a) - handled(b)),
    );
    return first ?? null;
  }

  /** Memory that a worker keeps beyond what is counted for its task. */
  #keptBy(threadId: number): number {
    const task = this.#assigned.get(threadId);
    return Math.max(0, this.#memory.grownBytes(threadId) - (task ? reusableNeedBytes(task) : 0));
  }

  /**
   * Idle workers beyond the regular number, without the one for the next heavy task. Those that have grown least,
   * because the growth of the others is counted separately.
   */
  #surplus(): readonly { id: number }[] {
    const count = this.#remaining - this.#options.workers;
    if (count <= 0) return [];
    const next = this.#reusable()?.threadId;
    return this.#idle()
      .filter(({ id }) => id !== next)
      .toSorted((a, b) => this.#memory.grownBytes(a.id) - this.#memory.grownBytes(b.id))
      .slice(0, count);
  }

  /** The worker that will run the next heavy task. */
  #reusable(): { threadId: number; bytes: number } | undefined {
    const chosen = this.#choose(this.#idle(), true);
    return chosen ? { threadId: chosen.id, bytes: this.#memory.grownBytes(chosen.id) } : undefined;
  }

  /** Workers without a task. */
  #idle(): readonly { id: number }[] {
    // Started tasks without a worker will take them first.
    if (this.#pool.runningTasks() > this.#assigned.size) return [];
    return [...new Set([...this.#started, ...this.#memory.threadIds])]
      .filter((threadId) => !this.#assigned.has(threadId) && this.#isUsable(threadId))
      .map((id) => ({ id }));
  }
}
