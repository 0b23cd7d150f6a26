/**
 * Sends the events of one job or scan to all clients that watch it, as server-sent events (HTML standard, section 9.2).
 */
import { PassThrough } from 'node:stream';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import type { Events } from '../../base/events.ts';
import type { Context } from './context.ts';
import { tooManyEventStreams } from './errors.ts';

const COMMENT_INTERVAL_MS = 15_000;
/** The stream then ends. The client can connect again. */
const MAX_STREAM_MS = 10 * 60_000;
/** Counts all jobs and scans of an account. Each stream holds a connection and is written to at every event. */
export const MAX_EVENT_STREAMS_PER_ACCOUNT = 20;
/** Ends the stream of a client that reads too slowly. The client gets the current state when it connects again. */
const MAX_PENDING_BYTES = 1024 * 1024;
/** All streams of a subject end when more of its events than this wait to be written. */
const MAX_PENDING_EVENTS = 10_000;

/** Writes events to one or more clients. */
export interface SseWriter {
  send(name: string, data: unknown): void;
  /** Ends the stream after the events sent so far. */
  end(): void;
}

/** Writes the events of a subject. The output is the same for all clients that watch it. */
export interface SseSubscription<E> {
  /** Sends the state to a client that has just connected. */
  begin(writer: SseWriter): Promise<void>;
  /** Sends the changes caused by an event to all clients at once. */
  hear(event: E, writer: SseWriter): Promise<void>;
}

export interface SseSource<E> {
  /** Id of a job or a scan. */
  subject: string;
  events: Events<E>;
  /** Every watcher of a subject passes an equal one. The first watcher's is used for all. */
  subscription: SseSubscription<E>;
}

/** The open streams of all clients. */
export class EventStreams {
  readonly #openByAccount = new Map<string, number>();
  readonly #channels = new Map<string, { join(client: PassThrough): void }>();

  /**
   * Opens a stream for one client. It ends when the subscription
   * ends it, after its maximum time, or when the client disconnects.
   * @param account owner of the subject
   * @throws Failure 429 `rate_limited` when the account has too many streams
   */
  open<E>(account: string, source: SseSource<E>): PassThrough {
    const release = this.reserve(account);
    const client = openStream(source.events.closing);
    client.once('close', release);
    this.#channelOf(source).join(client);
    return client;
  }

  /**
   * Counts another way of watching a job or a scan as a stream of the account.
   * @returns a function to call once, when the watching ends
   * @throws Failure 429 `rate_limited` when the account has too many streams
   */
  reserve(account: string): () => void {
    const open = this.#openByAccount.get(account) ?? 0;
    if (open >= MAX_EVENT_STREAMS_PER_ACCOUNT) throw tooManyEventStreams(MAX_EVENT_STREAMS_PER_ACCOUNT);
    this.#openByAccount.set(account, open + 1);
    return () => this.#release(account);
  }

  #release(account: string): void {
    const left = this.#openByAccount.get(account)! - 1;
    if (left > 0) this.#openByAccount.set(account, left);
    else this.#openByAccount.delete(account);
  }

  #channelOf<E>(source: SseSource<E>): { join(client: PassThrough): void } {
    const { subject } = source;
    const known = this.#channels.get(subject);
    if (known) return known;
    const channel = new Channel(source, () => this.#channels.delete(subject));
    this.#channels.set(subject, channel);
    return channel;
  }
}

/** Responds with a stream of events. */
export function sendEvents(ctx: Context, stream: PassThrough): void {
  ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  ctx.type = 'text/event-stream';
  ctx.body = stream;
}

/** @param closing aborts when the service is being stopped */
function openStream(closing: AbortSignal): PassThrough {
  const stream = new PassThrough();
  const end = () => stream.end();
  const comment = setInterval(() => write(stream, Buffer.from(':\n\n')), COMMENT_INTERVAL_MS).unref();
  const longest = setTimeout(end, MAX_STREAM_MS).unref();
  closing.addEventListener('abort', end);
  stream.once('close', () => {
    clearInterval(comment);
    clearTimeout(longest);
    closing.removeEventListener('abort', end);
  });
  // Koa adds its own error listener once it responds. Until then an error would end the process.
  stream.once('error', () => {});
  return stream;
}

function write(client: PassThrough, bytes: Buffer): void {
  if (client.destroyed || client.writableEnded) return;
  if (client.writableLength > MAX_PENDING_BYTES) client.end();
  else client.write(bytes);
}

/**
 * The clients of one subject. Each event is read from the database and serialised once, and the bytes are shared. When
 * this was done per client, the end of a job of 100 images took 1.4 ms per client, all in one turn of the event loop.
 */
class Channel<E> {
  readonly #subscription: SseSubscription<E>;
  readonly #onEmpty: () => void;
  readonly #share = new EventLoopShare();
  readonly #joined = new Set<PassThrough>();
  /** Clients that have received the state. It includes all earlier events. */
  readonly #watching = new Set<PassThrough>();
  /**
   * Sends the state to one client or an event to all. Each task waits for the one before, so that all arrive in order.
   */
  #work: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor({ subject, events, subscription }: SseSource<E>, onEmpty: () => void) {
    this.#subscription = subscription;
    const unwatch = events.watch(subject, (event) => this.#onEvent(event));
    this.#onEmpty = () => {
      unwatch();
      onEmpty();
    };
  }

  join(client: PassThrough): void {
    this.#joined.add(client);
    client.once('close', () => this.#leave(client));
    this.#enqueue(async () => {
      if (client.destroyed) return;
      await this.#broadcast([client], (writer) => this.#subscription.begin(writer));
      if (this.#joined.has(client)) this.#watching.add(client);
    });
  }

  #leave(client: PassThrough): void {
    this.#watching.delete(client);
    this.#joined.delete(client);
    if (this.#joined.size === 0) this.#onEmpty();
  }

  #onEvent(event: E): void {
    if (this.#pending >= MAX_PENDING_EVENTS) {
      for (const client of this.#joined) client.end();
      return;
    }
    this.#enqueue(async () => {
      if (this.#watching.size === 0) return;
      await this.#broadcast(this.#watching, (writer) => this.#subscription.hear(event, writer));
    });
  }

  /** @param work must not reject */
  #enqueue(work: () => Promise<void>): void {
    this.#pending += 1;
    this.#work = this.#work.then(async () => {
      this.#pending -= 1;
      if (this.#share.isUsedUp) await this.#share.next();
      await work();
    });
  }

  /** Writes what `send` sends to the clients. Clients that leave meanwhile are removed from the set. */
  async #broadcast(clients: Iterable<PassThrough>, send: (writer: SseWriter) => Promise<void>): Promise<void> {
    try {
      const { bytes, isLast } = await formatEvents(send);
      for (const client of clients) {
        if (bytes.length > 0) write(client, bytes);
        if (isLast) client.end();
        if (this.#share.isUsedUp) await this.#share.next();
      }
    } catch (error) {
      for (const client of clients) client.destroy(error as Error);
    }
  }
}

/** Collects the bytes that `send` writes, and whether the streams end after them. */
async function formatEvents(send: (writer: SseWriter) => Promise<void>): Promise<{ bytes: Buffer; isLast: boolean }> {
  let text = '';
  let isLast = false;
  await send({
    send: (name, data) => {
      text += `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    },
    end: () => {
      isLast = true;
    },
  });
  return { bytes: Buffer.from(text), isLast };
}
