/** The events of a job or a scan, with types. */
import type { CallOptions } from './calls.ts';
import { followEvents } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Maximum losses of a connection in a row without an event. */
const MAX_LOSSES = 5;

/**
 * Yields the events up to and including `end`. A lost connection
 * is opened again; its first event contains the current state.
 * @throws ImagecrewError; the reason of `signal`; an error if the stream ends too often without `end`
 */
export async function* eventsOf<E extends { type: string; data: unknown }>(
  transport: Transport,
  path: string,
  { signal }: CallOptions = {},
): AsyncGenerator<E, void, undefined> {
  const pause = transport.pause.bind(transport);
  const given = signal ?? new AbortController().signal;
  for await (const { name, data } of followEvents(transport, path, { signal: given, mostLosses: MAX_LOSSES, pause })) {
    yield { type: name, data: JSON.parse(data) } as E;
    if (name === 'end') return;
  }
  given.throwIfAborted();
  throw new Error(`Expected the end of the events of ${path} but received none.`);
}

/** Returns the record of the last event. */
export async function endOf<R>(events: AsyncIterable<{ type: string; data: unknown }>): Promise<R> {
  let last: unknown;
  for await (const { type, data } of events) if (type === 'end') last = data;
  return last as R;
}
