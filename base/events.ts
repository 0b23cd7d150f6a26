/**
 * Events about jobs or scans. Listeners watch one subject or all. They must not throw. They read what they need from the
 * database, which is updated before the event is emitted: so an event may also come from another process, or come twice.
 */
import { EventEmitter, setMaxListeners } from 'node:events';

export interface Events<E> {
  /** Aborts when the service is being stopped, because open watchers would delay the stop. */
  readonly closing: AbortSignal;
  close(): void;
  emit(event: E): void;
  /** Calls the listener for events of one subject. Returns a function that stops this. */
  watch(subject: string, listener: (event: E) => void): () => void;
  /** Calls the listener for the events of all subjects. Returns a function that stops this. */
  watchAll(listener: (event: E) => void): () => void;
}

/**
 * Opens the events of one kind, such as `jobs`.
 * @param subjectOf returns the id of the event's subject
 */
export type OpenEvents = <E>(name: string, subjectOf: (event: E) => string) => Events<E>;

/** Events of this process. */
export const openLocalEvents: OpenEvents = (_name, subjectOf) => new LocalEvents(subjectOf);

class LocalEvents<E> implements Events<E> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  readonly #subjectOf: (event: E) => string;

  constructor(subjectOf: (event: E) => string) {
    this.#subjectOf = subjectOf;
    setMaxListeners(0, this.#closing.signal);
  }

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

  watch(subject: string, listener: (event: E) => void): () => void {
    return this.#listen(subject, listener);
  }

  watchAll(listener: (event: E) => void): () => void {
    return this.#listen('*', listener);
  }

  #listen(name: string, listener: (event: E) => void): () => void {
    this.#emitter.on(name, listener);
    return () => void this.#emitter.off(name, listener);
  }
}
