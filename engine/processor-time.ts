/**
 * Processor time of tasks. A limit of wall time would turn a good file into a 504 on a loaded machine, and Node tells the processor
 * time of the process alone: what it uses is divided among the tasks that run, none of which gets more than the time that has passed.
 */

import { performance } from 'node:perf_hooks';

/** Often enough that a task is stopped soon after its limit. */
const CHECK_EVERY_MS = 200;
/** A task that does not use its processor, because it waits for ever, ends after this multiple of its limit. */
const MAX_WALL_FACTOR = 4;

/** What is measured, in milliseconds. */
export interface Clocks {
  /** Of all threads of the process but the main one, since any start. */
  processor(): number;
  /** Since any start. */
  wall(): number;
}

export interface TimedRun {
  /** Processor time until now, in milliseconds. */
  usedMs(): number;
  end(): void;
}

export interface RunLimit {
  /** Share of the processor beside that of other tasks, as the scheduler of the system weighs it. */
  weight: number;
  limitMs: number;
  /** Called once, when the task has used its time. */
  onLimit(): void;
}

interface Run extends RunLimit {
  usedMs: number;
  startedAt: number;
  isOver: boolean;
}

/** The tasks that run in this process. */
export class ProcessorTime {
  readonly #clocks: Clocks;
  readonly #runs = new Set<Run>();
  #timer: NodeJS.Timeout | undefined;
  #lastProcessor = 0;
  #lastWall = 0;

  constructor(clocks: Clocks = processClocks()) {
    this.#clocks = clocks;
  }

  start(limit: RunLimit): TimedRun {
    this.#divide();
    const run: Run = { ...limit, usedMs: 0, startedAt: this.#clocks.wall(), isOver: false };
    this.#runs.add(run);
    this.#timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    return {
      usedMs: () => {
        this.#divide();
        return run.usedMs;
      },
      end: () => {
        this.#divide();
        this.#runs.delete(run);
        if (this.#runs.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** Tells the tasks whose time is used up. */
  check(): void {
    this.#divide();
    const now = this.#clocks.wall();
    for (const run of [...this.#runs]) {
      const isUsedUp = run.usedMs >= run.limitMs || now - run.startedAt >= MAX_WALL_FACTOR * run.limitMs;
      if (run.isOver || !isUsedUp) continue;
      run.isOver = true;
      run.onLimit();
    }
  }

  /** Adds what was used since the last look, by weight; what would be more than the time that has passed goes to the others. */
  #divide(): void {
    const processor = this.#clocks.processor();
    const wall = this.#clocks.wall();
    let left = processor - this.#lastProcessor;
    const most = wall - this.#lastWall;
    this.#lastProcessor = processor;
    this.#lastWall = wall;
    const runs = [...this.#runs].toSorted((one, other) => other.weight - one.weight);
    let weights = runs.reduce((sum, { weight }) => sum + weight, 0);
    // The heaviest first: what exceeds its bound is there for the lighter ones.
    for (const run of runs) {
      const share = Math.min(most, (left * run.weight) / weights);
      run.usedMs += share;
      left -= share;
      weights -= run.weight;
    }
  }
}

/** The main thread's time is that in which its event loop was active. */
function processClocks(): Clocks {
  return {
    processor() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000 - performance.eventLoopUtilization().active;
    },
    wall: () => performance.now(),
  };
}
