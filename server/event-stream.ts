/** What happens to one job or scan, as server-sent events (HTML standard, section 9.2), to all clients that watch it. */
import { PassThrough } from 'node:stream';
import { EventLoopShare } from '../base/event-loop-share.ts';
import type { Events } from './events.ts';
import type { Context } from './http/context.ts';
import { tooManyEventStreams } from './http/errors.ts';

const COMMENT_INTERVAL_MS = 15_000;
/** Then the client connects again, if it likes. */
const MAX_STREAM_MS = 10 * 60_000;
/** Of all jobs and scans of an account together. Each stream holds a connection and is written to at every event. */
export const MAX_EVENT_STREAMS_PER_ACCOUNT = 20;
/** The stream of a client that reads more slowly than this much is written ends. When it connects again it gets the state. */
const MAX_PENDING_BYTES = 1024 * 1024;
/** All streams of a subject end when more of its events wait for being written. */
const MAX_PENDING_EVENTS = 10_000;

/** Writes events. */
export interface SseWriter {
  send(name: string, data: unknown): void;
  /** Ends the stream, after what was sent. */
  end(): void;
}

/** What is sent of a subject, which is the same for all clients that watch it. */
export interface SseSubscription<E> {
  /** Sends the state to a client that has just connected. */
  begin(writer: SseWriter): Promise<void>;
  /** Sends what an event has changed, to all clients at once. */
  hear(event: E, writer: SseWriter): Promise<void>;
}

export interface SseSource<E> {
  /** Id of a job or a scan. */
  subject: string;
  events: Events<E>;
  /** Whoever watches the subject brings an equal one; that of the first is used for all. */
  subscription: SseSubscription<E>;
}

/** The open streams of all clients. */
export class EventStreams {
  readonly #openByAccount = new Map<string, number>();
  readonly #channels = new Map<string, { join(client: PassThrough): void }>();

  /**
   * A stream for one client; it ends as the subscription says, after its time, or when the client goes away.
   * @param account that the subject belongs to
   * @throws Failure 429 `rate_limited` when the account has too many
   */
  open<E>(account: string, source: SseSource<E>): PassThrough {
    const release = this.reserve(account);
    const client = openStream(source.events.closing);
    client.once('close', release);
    this.#channelOf(source).join(client);
    return client;
  }

  /**
   * Counts whoever follows a job or a scan otherwise as a stream of the account.
   * @returns what is called, once, at its end
   * @throws Failure 429 `rate_limited` when the account has too many
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

/** Answers with a stream of events. */
export function sendEvents(ctx: Context, stream: PassThrough): void {
  ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  ctx.type = 'text/event-stream';
  ctx.body = stream;
}

/** @param closing fires when the service is being stopped */
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
  // Koa listens for it once it answers. Before that it would end the process.
  stream.once('error', () => {});
  return stream;
}

function write(client: PassThrough, bytes: Buffer): void {
  if (client.destroyed || client.writableEnded) return;
  if (client.writableLength > MAX_PENDING_BYTES) client.end();
  else client.write(bytes);
}

/**
 * The clients of one subject. Each event is read from the database and serialised once, and the bytes are shared. Done for
 * every client by itself, the end of a job of 100 images took 1.4 ms for each, all in one turn of the event loop.
 */
class Channel<E> {
  readonly #subscription: SseSubscription<E>;
  readonly #onEmpty: () => void;
  readonly #share = new EventLoopShare();
  readonly #joined = new Set<PassThrough>();
  /** Those that have got the state. What happened before is in it. */
  readonly #watching = new Set<PassThrough>();
  /** The state for one client or an event for all: each follows the one before, so that all arrive in order. */
  #work: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor({ subject, events, subscription }: SseSource<E>, onEmpty: () => void) {
    this.#subscription = subscription;
    const unwatch = events.watch(subject, (event) => this.#hear(event));
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
      await this.#announce([client], (writer) => this.#subscription.begin(writer));
      if (this.#joined.has(client)) this.#watching.add(client);
    });
  }

  #leave(client: PassThrough): void {
    this.#watching.delete(client);
    this.#joined.delete(client);
    if (this.#joined.size === 0) this.#onEmpty();
  }

  #hear(event: E): void {
    if (this.#pending >= MAX_PENDING_EVENTS) {
      for (const client of this.#joined) client.end();
      return;
    }
    this.#enqueue(async () => {
      if (this.#watching.size === 0) return;
      await this.#announce(this.#watching, (writer) => this.#subscription.hear(event, writer));
    });
  }

  /** @param work does not reject */
  #enqueue(work: () => Promise<void>): void {
    this.#pending += 1;
    this.#work = this.#work.then(async () => {
      this.#pending -= 1;
      if (this.#share.isUsedUp) await this.#share.next();
      await work();
    });
  }

  /** Writes what `send` sends to clients; those that leave meanwhile drop out of the set. */
  async #announce(clients: Iterable<PassThrough>, send: (writer: SseWriter) => Promise<void>): Promise<void> {
    try {
      const { bytes, isLast } = await written(send);
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

/** The bytes of what is sent, and whether the streams end with it. */
async function written(send: (writer: SseWriter) => Promise<void>): Promise<{ bytes: Buffer; isLast: boolean }> {
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
