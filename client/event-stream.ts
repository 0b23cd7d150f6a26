/** Server-sent events by `fetch`: an EventSource cannot send the key. (HTML standard, section 9.2.) */
import { ImagecrewError } from './errors.ts';
import { pause } from './retry.ts';
import type { Transport } from './transport.ts';

export interface StreamEvent {
  /** `message` where the stream gives none. */
  name: string;
  /** Mostly JSON. */
  data: string;
}

export interface FollowOptions {
  /** Ends it, without an error. */
  signal: AbortSignal;
  /** Called when the connection is there, and when it is lost: then it is made again. */
  onConnection?: (isOpen: boolean) => void;
  /** How long to wait before the first attempt after a loss. */
  retryMs?: number;
  /** It gives up when the connection was lost so often with no event in between. Default: never. */
  mostLosses?: number;
  pause?: typeof pause;
}

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Every event of a stream, for as long as it is read: a connection that ends is made again, and where the stream numbers its
 * events it goes on after the last one. Leave the loop at the event that says that nothing follows.
 * @param path as `/api/v1/jobs/job_1/events`
 * @throws ImagecrewError where the service refuses it, as for a job that is gone; whatever it gives up for
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
      // Also where the reader has left the loop.
      connection.abort();
    }
    onConnection(false);
    if (losses >= mostLosses) return;
    const ms = Math.min(LONGEST_RETRY_MS, (parser.retryMs ?? retryMs) * 2 ** losses);
    await wait(ms, signal).catch(() => {});
    losses += 1;
  }
}

/** By a reader: not every browser can loop over a stream. */
async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    yield decoder.decode(part.value, { stream: true });
}

/** Makes events from the text of a stream, wherever that is cut. */
export class EventParser {
  /** Of the last event that had an id. */
  lastId = '';
  /** What the stream asks for. */
  retryMs: number | undefined;
  #rest = '';
  #name = '';
  #data: string[] = [];
  #id = '';

  /** Forgets an event that was cut off; what it knows of those before stays. */
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
