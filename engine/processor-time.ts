/**
 * Measures the processor time of tasks. A limit on wall time would turn a good file into a 504 on a loaded machine.
 * Linux reports the time of each thread, and a task is charged for the threads of its worker. On other systems Node
 * reports only the time of the process, which is divided among the tasks.
 */

import { performance } from 'node:perf_hooks';
import { systemThreadId } from '../base/system-thread-id.ts';
import { findThreadClock, measureThreads, type ThreadClock } from './thread-time.ts';
import { type DivisionClocks, type Meter, TimeDivision } from './time-division.ts';

/** Short enough that a task is stopped soon after its limit. */
const CHECK_EVERY_MS = 200;
/**
 * A task that hangs is ended after this wall time. Other tasks may also pause: for a worker to start (0.4 s of
 * processor time), for a model to be read or for V8 to compile, which takes seconds, or tens of seconds on a loaded
 * machine.
 */
const MAX_STALL_MS = 60_000;
/**
 * Minimum share of the wall time that a task must use during that time. A waiting thread uses nothing. A thread of
 * niceness 10 gets a tenth of the time of one with niceness 0 (weights of 110 and 1024), so beside ten of those on its
 * core it still has ten times this share.
 */
const MIN_SHARE = 0.001;
/**
 * Maximum wall time counted between two checks: while the process is stopped or blocked, it cannot observe its tasks.
 */
const MAX_CHECK_INTERVAL_MS = 1000;

export interface Clocks extends DivisionClocks {
  /** Set if the system reports the time of threads. */
  thread?: ThreadClock | undefined;
}

export interface TimedRun {
  /**
   * Starts the task's time: a worker has taken it.
   * @param threadIds the system ids of the threads that compute for the worker, if known
   */
  begin(threadIds: (() => readonly number[]) | undefined): void;
  /** Processor time until now, in milliseconds. */
  usedMs(): number;
  end(): void;
}

export interface RunLimit {
  /** Weight of the task in the system's scheduler, relative to other tasks. */
  weight: number;
  limitMs: number;
  /** Called once, when the task has used up its time or hangs. */
  onLimit(): void;
}

interface Run extends RunLimit {
  /** Set once a worker has the task. */
  meter: Meter | undefined;
  usedMs: number;
  /** When it was last checked. */
  checkedAt: number;
  /** Wall time since its last progress, and its processor time then. */
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

  /** Notifies the tasks whose time is used up, and those that hang. */
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
  run.stalledMs += Math.min(MAX_CHECK_INTERVAL_MS, now - run.checkedAt);
  run.checkedAt = now;
  if (run.usedMs - run.progressMs <= MIN_SHARE * run.stalledMs) return;
  run.stalledMs = 0;
  run.progressMs = run.usedMs;
}

/** If the system does not report the main thread's time, the active time of its event loop is used. */
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
