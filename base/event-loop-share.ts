/**
 * Long work of the main thread is done in pieces, so that requests have their turn between them. A limit for each task would not do: a
 * hundred tasks that hold the event loop for a moment each hold it a hundred times as long. So all of them share one limit for each
 * round of the event loop, and those that have used least go first (foreground-background scheduling): the chunks of an upload, or a
 * small body, never wait for somebody's long lists.
 */

/** How long such work may hold the event loop in one round, all tasks together. */
const MAX_HOLD_MS = 8;

interface Task {
  /** What it has used of rounds for which it has waited, in milliseconds. */
  usedMs: number;
}

interface Waiting {
  task: Task;
  resume: () => void;
}

/** The rounds of the event loop in which tasks have something to do. */
export class EventLoopRounds {
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  /** When the time of this round is used up. Undefined before its first task. */
  #endsAt: number | undefined;

  /** @param now the clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isUsedUp(): boolean {
    this.#begin();
    return this.#now() >= this.#endsAt!;
  }

  /** Resolves when it is the turn of the task. */
  wait(task: Task): Promise<void> {
    this.#begin();
    return new Promise((resume) => this.#waiting.push({ task, resume }));
  }

  /** A round that begins with a task which has not waited goes on until the event loop has looked at requests once more. */
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

  /** Resumes one task after the other, each when the one before it has done its piece, until the time is used up. */
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
    // process.nextTick runs after all callbacks of promises, so after the whole piece.
    queueMicrotask(() => process.nextTick(afterPiece));
  }
}

/** Of the main thread. */
const ROUNDS = new EventLoopRounds();

/** The event loop as one task uses it that works in pieces of a few milliseconds at most. */
export class EventLoopShare {
  readonly #rounds: EventLoopRounds;
  readonly #task: Task = { usedMs: 0 };

  constructor(rounds = ROUNDS) {
    this.#rounds = rounds;
  }

  /** Whether the task has to call `next` before its next piece. */
  get isUsedUp(): boolean {
    return this.#rounds.isUsedUp;
  }

  /** Resolves in a later round, when it is the task's turn. The task then does one piece at least. */
  next(): Promise<void> {
    return this.#rounds.wait(this.#task);
  }
}
