/** What happens to a job or a scan, as typed events. */
import type { CallOptions } from './calls.ts';
import { followEvents } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** A connection that brings nothing is made again so often. */
const MOST_LOSSES = 5;

/**
 * The events until the one that says that nothing follows. A connection that is lost is made again; the first event then
 * tells where things stand.
 * @throws ImagecrewError; the reason of `signal`; an error when the stream stays away
 */
export async function* eventsOf<E extends { type: string; data: unknown }>(
  transport: Transport,
  path: string,
  { signal }: CallOptions = {},
): AsyncGenerator<E, void, undefined> {
  const pause = transport.pause.bind(transport);
  const given = signal ?? new AbortController().signal;
  for await (const { name, data } of followEvents(transport, path, { signal: given, mostLosses: MOST_LOSSES, pause })) {
    yield { type: name, data: JSON.parse(data) } as E;
    if (name === 'end') return;
  }
  given.throwIfAborted();
  throw new Error(`Expected the end of the events of ${path} but received none.`);
}

/** The record that the last event brings. */
export async function endOf<R>(events: AsyncIterable<{ type: string; data: unknown }>): Promise<R> {
  let last: unknown;
  for await (const { type, data } of events) if (type === 'end') last = data;
  return last as R;
}
