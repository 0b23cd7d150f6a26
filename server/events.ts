/** What happens to the things of one kind, told within the process: to those who watch one, and to those who watch all. */
import { EventEmitter, setMaxListeners } from 'node:events';

/** Listeners must not throw, and read what they need from the database: it holds what is told of. */
export class Events<E> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  readonly #subjectOf: (event: E) => string;

  /** @param subjectOf the id of what an event happens to */
  constructor(subjectOf: (event: E) => string) {
    this.#subjectOf = subjectOf;
    setMaxListeners(0, this.#closing.signal);
  }

  /** Fires when the service is being stopped: those who watch would keep it waiting. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  emit(event: E): void {
    this.#emitter.emit(this.#subjectOf(event), event);
    this.#emitter.emit('*', event);
  }

  /** Hears of one; returns what ends it. */
  watch(subject: string, listener: (event: E) => void): () => void {
    return this.#listen(subject, listener);
  }

  /** Hears of all; returns what ends it. */
  watchAll(listener: (event: E) => void): () => void {
    return this.#listen('*', listener);
  }

  #listen(name: string, listener: (event: E) => void): () => void {
    this.#emitter.on(name, listener);
    return () => void this.#emitter.off(name, listener);
  }
}
