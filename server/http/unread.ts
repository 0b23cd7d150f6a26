/**
 * Handles request bodies that are unread when the response is
 * ready: the request was refused, or the endpoint takes no body.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Middleware } from 'koa';
import type { Context, State } from './context.ts';
import { uploadTimeout } from './errors.ts';

/** How long the rest of such a body is read and discarded. */
const MAX_DISCARD_MS = 5000;
/**
 * Limits of the bytes of all such bodies together: a burst, then a rate per second.
 * Without a limit, 64 clients that kept sending files of 3 MB after a 429 took 40% of
 * two cores: the bytes read become garbage, and V8 collects it every few milliseconds.
 */
const MAX_BURST_BYTES = 32 * 2 ** 20;
const MAX_BYTES_PER_SECOND = 8 * 2 ** 20;
const BURST_MS = (1000 * MAX_BURST_BYTES) / MAX_BYTES_PER_SECOND;
/** The time, by performance.now(), when the bytes read so far would fit the rate. At most one burst in the past. */
let readUntil = Number.NEGATIVE_INFINITY;

/** Statuses whose responses have no body. */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

const UPLOAD_TIMEOUT = uploadTimeout().code;

/**
 * Closes the connection of a request whose body has not arrived completely, after {@link discardRest}.
 * Node would read such a body to its end, as fast as it comes and for as long as a request may take:
 * 64 clients that each sent an endless body with `GET /healthz` made it read 3.9 GB in 8 seconds.
 */
export const closeUnread: Middleware<State> = async (ctx, next) => {
  await next();
  if (ctx.respond === false || !hasUnreadBody(ctx.req)) return;
  // Node passes on a request before it parses the bytes after the headers, so the whole body may already have arrived.
  await setImmediate();
  if (!hasUnreadBody(ctx.req)) return;
  ctx.set('Connection', 'close');
  // The client has stopped sending, so there is nothing to wait for.
  if (ctx.state.record.errorCode === UPLOAD_TIMEOUT) return;
  if (ctx.method === 'HEAD' || BODILESS_STATUSES.has(ctx.status)) await sendHeadThenDiscard(ctx);
  else discardAfterBody(ctx);
};

/** Sends the headers, then discards. Koa would end a response without a body at once, and with it the connection. */
async function sendHeadThenDiscard(ctx: Pick<Context, 'body' | 'length' | 'response' | 'res' | 'req'>): Promise<void> {
  const { status, length } = ctx.response;
  if (BODILESS_STATUSES.has(status)) ctx.body = null;
  else if (length !== undefined) ctx.length = length;
  ctx.res.flushHeaders();
  await discardRest(ctx.req);
}

function discardAfterBody(ctx: Pick<Context, 'body' | 'length' | 'response' | 'req'>): void {
  const { body, length } = ctx.response;
  ctx.body = Readable.from(bodyThenRest(body instanceof Readable ? body : [body], ctx.req));
  if (length !== undefined) ctx.length = length;
}

async function* bodyThenRest(
  body: Iterable<unknown> | AsyncIterable<unknown>,
  rest: Readable,
): AsyncGenerator<unknown> {
  yield* body;
  await discardRest(rest);
}

/** True if the request has a body that has not arrived completely. */
function hasUnreadBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
  return !req.complete && !req.destroyed && (transfer !== undefined || Number(length ?? 0) > 0);
}

/**
 * Discards what the client still sends, for a few seconds at most. Closing at once
 * would answer the client's next bytes with a reset, and a reset makes the client's
 * system drop the response that it has not read yet (RFC 9112, section 9.6).
 */
export function discardRest(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    let pause: NodeJS.Timeout | undefined;
    const done = () => {
      clearTimeout(timer);
      clearTimeout(pause);
      body.off('data', skip);
      resolve();
    };
    const skip = (chunk: Uint8Array) => {
      const now = performance.now();
      readUntil = Math.max(readUntil, now - BURST_MS) + (1000 * chunk.length) / MAX_BYTES_PER_SECOND;
      if (readUntil <= now) return;
      body.pause();
      pause = setTimeout(() => body.resume(), readUntil - now);
    };
    const timer = setTimeout(done, MAX_DISCARD_MS);
    body.once('end', done);
    body.once('close', done);
    body.on('data', skip);
    body.resume();
  });
}
