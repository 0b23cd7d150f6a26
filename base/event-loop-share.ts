/**
 * Splits long work of the main thread into pieces, so that requests are served between them. A limit per task would not
 * be enough: a hundred tasks that each hold the event loop for a moment hold it a hundred times as long. So all tasks
 * share one limit per round of the event loop, and those that have used least go first (foreground-background
 * scheduling). The chunks of an upload, or a small body, then never wait for another client's long list.
 */

/** How long all tasks together may hold the event loop in one round. */
const MAX_HOLD_MS = 8;

interface Task {
  /** Time used in the rounds that this task has waited for, in milliseconds. */
  usedMs: number;
}

interface Waiting {
  task: Task;
  resume: () => void;
}

/** The rounds of the event loop in which tasks have work to do. */
export class EventLoopRounds {
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  /** When the time of this round is used up. Undefined before the round's first task. */
  #endsAt: number | undefined;

  /** @param now the clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isUsedUp(): boolean {
    this.#begin();
    return this.#now() >= this.#endsAt!;
  }

  /** Resolves when the task may run its next piece. */
  wait(task: Task): Promise<void> {
    this.#begin();
    return new Promise((resume) => this.#waiting.push({ task, resume }));
  }

  /** A round started by a task that has not waited lasts until the event loop has polled for requests once more. */
  #begin(): void {
    if (this.#endsAt !== undefined) return;
    this.#endsAt = this.#now() + MAX_HOLD_MS;
    setImmediate(() => setImmediate(() => this.#beginNext()));
  }

  #beginNext(): void {
    if (this.#waiting.length === 0) {
      this.#endsAt = undefined;
      return;
    }
    this.#endsAt = this.#now() + MAX_HOLD_MS;
    setImmediate(() => this.#beginNext());
    const waiting = this.#waiting.toSorted((one, other) => one.task.usedMs - other.task.usedMs);
    this.#waiting = [];
    this.#resume(waiting, 0);
  }

  /** Resumes the tasks one after another, each after the previous one's piece, until the time is used up. */
  #resume(waiting: readonly Waiting[], index: number): void {
    const next = waiting[index];
    if (!next) return;
    const resumedAt = this.#now();
    next.resume();
    const afterPiece = () => {
      next.task.usedMs += this.#now() - resumedAt;
      if (this.isUsedUp) this.#waiting = [...waiting.slice(index + 1), ...this.#waiting];
      else this.#resume(waiting, index + 1);
    };
    // process.nextTick runs after all promise callbacks, so after the whole piece.
    queueMicrotask(() => process.nextTick(afterPiece));
  }
}

/** The rounds of the main thread. */
const ROUNDS = new EventLoopRounds();

/** One task's view of the event loop. The task must work in pieces of a few milliseconds at most. */
export class EventLoopShare {
  readonly #rounds: EventLoopRounds;
  readonly #task: Task = { usedMs: 0 };

  constructor(rounds = ROUNDS) {
    this.#rounds = rounds;
  }

  /** Whether the task must call `next` before its next piece. */
  get isUsedUp(): boolean {
    return this.#rounds.isUsedUp;
  }

  /** Resolves in a later round, when the task may go on. The task then does at least one piece. */
  next(): Promise<void> {
    return this.#rounds.wait(this.#task);
  }
}
