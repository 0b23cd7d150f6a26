/** Events within the process about jobs or scans. Listeners watch one subject or all. */
import { EventEmitter, setMaxListeners } from 'node:events';

/**
 * Listeners must not throw. They read what they need from the database, which is updated before the event is emitted.
 */
export class Events<E> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  readonly #subjectOf: (event: E) => string;

  /** @param subjectOf returns the id of the event's subject */
  constructor(subjectOf: (event: E) => string) {
    this.#subjectOf = subjectOf;
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborts when the service is being stopped, because open watchers would delay the stop. */
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

  /** Calls the listener for events of one subject. Returns a function that stops this. */
  watch(subject: string, listener: (event: E) => void): () => void {
    return this.#listen(subject, listener);
  }

  /** Calls the listener for the events of all subjects. Returns a function that stops this. */
  watchAll(listener: (event: E) => void): () => void {
    return this.#listen('*', listener);
  }

  #listen(name: string, listener: (event: E) => void): () => void {
    this.#emitter.on(name, listener);
    return () => void this.#emitter.off(name, listener);
  }
}
