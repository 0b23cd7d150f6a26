/**
 * Processor time of tasks. A limit of wall time would turn a good file into a 504 on a loaded machine. Linux tells the time of each
 * thread, and a task has that of the threads of its worker. Elsewhere Node tells that of the process alone, which is divided.
 */

import { performance } from 'node:perf_hooks';
import { systemThreadId } from '../base/system-thread-id.ts';
import { findThreadClock, measureThreads, type ThreadClock } from './thread-time.ts';
import { type DivisionClocks, type Meter, TimeDivision } from './time-division.ts';

/** Often enough that a task is stopped soon after its limit. */
const CHECK_EVERY_MS = 200;
/**
 * A task that waits for ever ends after this wall time. Tasks that do not compute wait for a worker to start (0.4 s of processor
 * time), for a model to be read or for V8 to compile: seconds, on a loaded machine tens of them.
 */
const MAX_STALL_MS = 60_000;
/**
 * Share of the wall time that a task has to use meanwhile. A thread that waits uses nothing. One of niceness 10 gets a tenth of what
 * one of niceness 0 gets (weights of 110 and 1024), so beside ten of those on its core it still has ten times this share.
 */
const MIN_SHARE = 0.001;
/** Wall time between two looks counts as this at most: a process that was stopped, or held up, has seen nothing of its tasks. */
const MAX_LOOK_MS = 1000;

export interface Clocks extends DivisionClocks {
  /** Where the system tells the time of threads. */
  thread?: ThreadClock | undefined;
}

export interface TimedRun {
  /**
   * A worker has taken the task: its time begins.
   * @param threadIds the system's ids of the threads that compute for the worker, where they are known
   */
  begin(threadIds: (() => readonly number[]) | undefined): void;
  /** Processor time until now, in milliseconds. */
  usedMs(): number;
  end(): void;
}

export interface RunLimit {
  /** Share of the processor beside that of other tasks, as the scheduler of the system weighs it. */
  weight: number;
  limitMs: number;
  /** Called once, when the task has used its time or waits for ever. */
  onLimit(): void;
}

interface Run extends RunLimit {
  /** Once a worker has the task. */
  meter: Meter | undefined;
  usedMs: number;
  /** When it was last looked at. */
  checkedAt: number;
  /** Wall time since it last made progress, and what it had used then. */
  stalledMs: number;
  progressMs: number;
  isOver: boolean;
}

/** The tasks that run in this process. */
export class ProcessorTime {
  readonly #clocks: Clocks;
  readonly #division: TimeDivision;
  readonly #runs = new Set<Run>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clocks: Clocks = processClocks()) {
    this.#clocks = clocks;
    this.#division = new TimeDivision(clocks);
  }

  start(limit: RunLimit): TimedRun {
    const run: Run = {
      ...limit,
      ...{ meter: undefined, usedMs: 0, isOver: false },
      ...{ checkedAt: this.#clocks.wall(), stalledMs: 0, progressMs: 0 },
    };
    this.#runs.add(run);
    this.#timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    return {
      begin: (threadIds) => {
        run.meter ??= this.#meter(limit.weight, threadIds);
      },
      usedMs: () => measure(run),
      end: () => {
        measure(run);
        run.meter?.close?.();
        run.meter = undefined;
        this.#runs.delete(run);
        if (this.#runs.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #meter(weight: number, threadIds: (() => readonly number[]) | undefined): Meter {
    const { thread } = this.#clocks;
    return thread && threadIds ? measureThreads(thread, threadIds) : this.#division.open(weight);
  }

  /** Tells the tasks whose time is used up, and those that wait for ever. */
  check(): void {
    const now = this.#clocks.wall();
    for (const run of [...this.#runs]) {
      measure(run);
      noteProgress(run, now);
      if (run.isOver || (run.usedMs < run.limitMs && run.stalledMs < MAX_STALL_MS)) continue;
      run.isOver = true;
      run.onLimit();
    }
  }
}

function measure(run: Run): number {
  if (run.meter) run.usedMs = run.meter.usedMs();
  return run.usedMs;
}

function noteProgress(run: Run, now: number): void {
  run.stalledMs += Math.min(MAX_LOOK_MS, now - run.checkedAt);
  run.checkedAt = now;
  if (run.usedMs - run.progressMs <= MIN_SHARE * run.stalledMs) return;
  run.stalledMs = 0;
  run.progressMs = run.usedMs;
}

/** Where the system does not tell the main thread's time, it is that in which its event loop was active. */
function processClocks(): Clocks {
  const thread = findThreadClock();
  const mainId = systemThreadId();
  return {
    processor() {
      const { user, system } = process.cpuUsage();
      const main = thread && mainId !== undefined ? thread(mainId) : undefined;
      return (user + system) / 1000 - (main ?? performance.eventLoopUtilization().active);
    },
    wall: () => performance.now(),
    thread,
  };
}
