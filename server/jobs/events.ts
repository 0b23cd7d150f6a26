/** What happens to jobs, told within the process: to those who watch one, and to the runner. */
import { EventEmitter, setMaxListeners } from 'node:events';

/** `accepted` and `ended` happen once; `started` again after each start of the process; `item` when an item has ended. */
export type JobEvent =
  | { type: 'accepted' | 'started' | 'ended'; jobId: string }
  | { type: 'item'; jobId: string; position: number };

export type JobListener = (event: JobEvent) => void;

/** Listeners must not throw, and read what they need from the database: it holds what is told of. */
export class JobEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();

  constructor() {
    setMaxListeners(0, this.#closing.signal);
  }

  /** Fires when the service is being stopped: those who watch would keep it waiting. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  emit(event: JobEvent): void {
    this.#emitter.emit(event.jobId, event);
    this.#emitter.emit('*', event);
  }

  /** Hears of one job; returns what ends it. */
  watch(jobId: string, listener: JobListener): () => void {
    return this.#listen(jobId, listener);
  }

  /** Hears of all jobs; returns what ends it. */
  watchAll(listener: JobListener): () => void {
    return this.#listen('*', listener);
  }

  #listen(name: string, listener: JobListener): () => void {
    this.#emitter.on(name, listener);
    return () => void this.#emitter.off(name, listener);
  }
}
