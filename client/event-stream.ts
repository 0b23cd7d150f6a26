/** Server-sent events over `fetch`, because an EventSource cannot send the key (HTML standard, section 9.2). */
import { ImagecrewError } from './errors.ts';
import { pause } from './retry.ts';
import type { Transport } from './transport.ts';

export interface StreamEvent {
  /** `message` if the stream names none. */
  name: string;
  /** Usually JSON. */
  data: string;
}

export interface FollowOptions {
  /** Ends the iteration without an error. */
  signal: AbortSignal;
  /** Called when the connection is open, and when it is lost and will be opened again. */
  onConnection?: (isOpen: boolean) => void;
  /** Wait before the first attempt after a loss. */
  retryMs?: number;
  /** Gives up after this many losses in a row without an event in between. Default: never. */
  mostLosses?: number;
  pause?: typeof pause;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * Yields every event of a stream for as long as it is read. A connection that ends is opened again; if the stream
 * numbers its events, it continues after the last one. Leave the loop at the last event.
 * @param path such as `/api/v1/jobs/job_1/events`
 * @throws ImagecrewError if the service refuses the stream, for
 *   example for a deleted job; the last error when it gives up
 */
export async function* followEvents(
  transport: Pick<Transport, 'send'>,
  path: string,
  options: FollowOptions,
): AsyncGenerator<StreamEvent> {
  const { signal, onConnection = () => {}, retryMs = RETRY_MS, mostLosses = Infinity, pause: wait = pause } = options;
  const parser = new EventParser();
  let losses = 0;
  while (!signal.aborted) {
    const connection = new AbortController();
    try {
      const response = await transport.send(path, {
        headers: {
          Accept: 'text/event-stream',
          ...(parser.lastId === '' ? {} : { 'Last-Event-ID': parser.lastId }),
        },
        signal: AbortSignal.any([signal, connection.signal]),
      });
      onConnection(true);
      parser.restart();
      for await (const text of textOf(response))
        for (const event of parser.push(text)) {
          losses = 0;
          yield event;
        }
    } catch (error) {
      if (signal.aborted) return;
      if ((error instanceof ImagecrewError && error.status < 500) || losses >= mostLosses) throw error;
    } finally {
      // Also runs when the caller leaves the loop.
      connection.abort();
    }
    onConnection(false);
    if (losses >= mostLosses) return;
    const ms = Math.min(MAX_RETRY_MS, (parser.retryMs ?? retryMs) * 2 ** losses);
    await wait(ms, signal).catch(() => {});
    losses += 1;
  }
}

/** Uses a reader, because not every browser can iterate over a stream. */
async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    yield decoder.decode(part.value, { stream: true });
}

/** Parses the text of a stream into events, wherever the chunks are split. */
export class EventParser {
  /** Id of the last event that had one. */
  lastId = '';
  /** Retry time that the stream asks for. */
  retryMs: number | undefined;
  #rest = '';
  #name = '';
  #data: string[] = [];
  #id = '';

  /** Discards an incomplete event. Keeps the last id and the retry time. */
  restart(): void {
    this.#rest = '';
    this.#clear();
  }

  push(text: string): StreamEvent[] {
    const lines = `${this.#rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => (line === '' ? this.#event() : this.#read(line)));
  }

  #event(): StreamEvent[] {
    this.lastId = this.#id;
    const event = { name: this.#name || 'message', data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#clear();
    return isEmpty ? [] : [event];
  }

  #read(line: string): [] {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return [];
  }

  #clear(): void {
    this.#name = '';
    this.#data = [];
    this.#id = this.lastId;
  }
}
