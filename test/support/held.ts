import assert from 'node:assert/strict';
import type { TaskInput } from '../../engine/task.ts';
import { OPEN, RUNNING, WAITING } from './barrier-worker.ts';

/** A task for the barrier worker, with its gate. */
export class Held {
  readonly gate = new Int32Array(new SharedArrayBuffer(4));
  readonly input: TaskInput<'compress'>;

  constructor(then = 'answer', bytes = 8) {
    this.input = { image: { data: new ArrayBuffer(bytes) }, params: { gate: this.gate, then } as never };
  }

  /** Resolves when a worker has started the task. */
  async running(): Promise<void> {
    const wait = Atomics.waitAsync(this.gate, 0, WAITING);
    if (wait.async) await wait.value;
    assert.equal(Atomics.load(this.gate, 0), RUNNING);
  }

  open(): void {
    this.#set(OPEN);
  }

  /** Ends the worker of a finished task with `grow and exit`. */
  close(): void {
    this.#set(WAITING);
  }

  #set(value: number): void {
    Atomics.store(this.gate, 0, value);
    Atomics.notify(this.gate, 0);
  }
}
