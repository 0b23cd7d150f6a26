/** What happens to one thing, as server-sent events (HTML standard, section 9.2). */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Events } from './events.ts';
import type { Context } from './http/context.ts';

const COMMENT_MS = 15_000;
/** Then the client connects again, if it likes. */
const LONGEST_MS = 10 * 60_000;
/** A client that reads so much slower than things happen is left; when it connects again it is told where they stand. */
const MOST_PENDING = 10_000;

/** Writes to one client. */
export interface Teller {
  send(name: string, data: unknown): void;
  /** Ends the stream, after what was sent. */
  end(): void;
}

/** What one client is told. Each work is done after the one before it, so that all arrives in its order. */
export interface Story<E> {
  begin(teller: Teller): Promise<void>;
  hear(event: E, teller: Teller): Promise<void>;
}

/** Answers with {@link eventStream}. */
export function sendEvents<E>(ctx: Context, subject: string, events: Events<E>, story: Story<E>): void {
  ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  ctx.type = 'text/event-stream';
  ctx.body = eventStream(subject, events, story);
}

/** The stream for one client; it ends as the story says, after its time, or when the client goes away. */
function eventStream<E>(subject: string, events: Events<E>, story: Story<E>): PassThrough {
  const stream = new PassThrough();
  const write = (text: string) => {
    if (!stream.writableEnded) stream.write(text);
  };
  const teller: Teller = {
    send: (name, data) => write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => stream.end(),
  };
  const gone = new AbortController();
  let telling: Promise<void> = Promise.resolve();
  let pending = 0;
  const tell = (work: () => Promise<void>) => {
    pending += 1;
    if (pending > MOST_PENDING) stream.end();
    telling = telling.then(async () => {
      pending -= 1;
      if (stream.destroyed || stream.writableEnded) return;
      await work();
      if (stream.writableNeedDrain) await once(stream, 'drain', { signal: gone.signal }).catch(() => {});
    });
    telling.catch((error: Error) => stream.destroy(error));
  };

  // Watched before its state is read: what happens in between is told twice rather than not at all.
  const unwatch = events.watch(subject, (event) => tell(() => story.hear(event, teller)));
  const comment = setInterval(() => write(':\n\n'), COMMENT_MS).unref();
  const close = () => stream.end();
  const longest = setTimeout(close, LONGEST_MS).unref();
  events.closing.addEventListener('abort', close);
  stream.once('close', () => {
    gone.abort();
    unwatch();
    events.closing.removeEventListener('abort', close);
    clearInterval(comment);
    clearTimeout(longest);
  });
  tell(() => story.begin(teller));
  return stream;
}
