/**
 * /api/mcp: the tools over Streamable HTTP (docs/spec/shapes.md, section 18.1). Each request gets its own SDK server, and no
 * state is kept between requests. Requests of revision 2026-07-28 are served in `stateless.ts`, those of earlier ones here.
 */
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  isSpecType,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { boundAnswer } from '../http/server.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import { Calls } from './calls.ts';
import type { HostedToolContext } from './context.ts';
import { createHostedServer } from './hosted-server.ts';
import { receiveMessage } from './message.ts';
import { refusesOrigin } from './origin.ts';
import type { McpServices } from './services.ts';
import { SingleRequestTransport } from './single-request-transport.ts';
import { respondStateless } from './stateless.ts';
import { COMMENT_MS, prepareStream, wantsStream } from './streams.ts';

/** Identifies a client, so that it can cancel its own calls. It is optional, and no state is stored under it. */
const CLIENT_HEADER = 'Mcp-Session-Id';

const calls = new Calls();

async function handle(ctx: Context, services: McpServices, caller: Caller): Promise<void> {
  const room = services.uploads.open(caller.account.id);
  ctx.res.once('close', () => room.release());
  try {
    await respond(ctx, services, caller, room);
  } catch (error) {
    // After a refused body the connection stays open for a while, so do not wait for it to close.
    room.release();
    throw error;
  }
}

async function respond(ctx: Context, services: McpServices, caller: Caller, room: MemoryReservation): Promise<void> {
  const received = await receiveMessage(ctx, services, room);
  if (!received) return;
  const { message, bytes, isStateless } = received;
  ctx.set('Cache-Control', 'no-store');
  const hosted: HostedToolContext = {
    services,
    caller,
    record: ctx.state.record,
    rate: ctx.state.rate,
    room: {
      reserve: (more) => room.reserve(bytes + more),
      reserveText: room.reserveText,
      release: () => room.release(bytes),
    },
    countedAgainst: (meter) => ctx.set('X-Quota-Meter', meter),
  };
  if (isStateless) await respondStateless(ctx, message, hosted);
  else if (!isJSONRPCRequest(message)) {
    handleNotification(message, ctx, caller);
    accept(ctx);
  } else if (wantsStream(ctx, message)) stream(ctx, message, hosted);
  else await respondWithJson(ctx, message, hosted);
}

/** Handles a notification or a response. A server without sessions only needs to handle cancellation. */
function handleNotification(message: JSONRPCMessage, ctx: Context, caller: Caller): void {
  if (!isSpecType.CancelledNotification(message)) return;
  const { requestId } = message.params;
  if (requestId !== undefined) calls.cancel(nameOf(ctx, caller, requestId));
}

const nameOf = (ctx: Context, { key }: Caller, requestId: string | number) => ({
  keyId: key.id,
  client: ctx.get(CLIENT_HEADER),
  requestId,
});

/** Responds 202 without a body. */
function accept(ctx: Context): void {
  ctx.status = 202;
  ctx.body = '';
}

async function respondWithJson(ctx: Context, request: JSONRPCRequest, hosted: HostedToolContext): Promise<void> {
  const signal = clientSignal(ctx.res);
  const message = await callServer(ctx, request, hosted, () => {});
  // The client has disconnected; there is nobody to send the result to.
  signal.throwIfAborted();
  if (message === undefined) accept(ctx);
  else ctx.body = { ...message };
}

function stream(ctx: Context, request: JSONRPCRequest, hosted: HostedToolContext): void {
  const events = new PassThrough();
  const eventOf = (message: JSONRPCMessage) => Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const comment = setInterval(() => events.write(':\n\n'), COMMENT_MS).unref();
  ctx.body = events;
  callServer(ctx, request, prepareStream(ctx, hosted), (message) => events.write(eventOf(message)))
    .then((message) => {
      if (!message) return;
      const last = eventOf(message);
      // Set the time limit for sending only now: before, the duration of the call was unknown.
      boundAnswer(ctx.res, last.byteLength);
      events.write(last);
    })
    .catch((error) => ctx.state.reportBug(error))
    .finally(() => {
      clearInterval(comment);
      events.end();
    });
}

/** Passes one request to an SDK server. @returns undefined if it was cancelled or the client disconnected */
async function callServer(
  ctx: Context,
  request: JSONRPCRequest,
  hosted: HostedToolContext,
  notify: (message: JSONRPCMessage) => void,
): Promise<JSONRPCMessage | undefined> {
  if (isInitializeRequest(request)) ctx.set(CLIENT_HEADER, randomUUID());
  const exchange = new SingleRequestTransport(request, notify);
  const cancel = () => void exchange.close();
  const forget = calls.add(nameOf(ctx, hosted.caller, request.id), cancel);
  ctx.res.once('close', cancel);
  const server = createHostedServer(ctx, hosted, 'legacy');
  try {
    await server.connect(exchange);
    return await exchange.answer;
  } finally {
    forget();
  }
}

export const mcpEndpoint: Endpoint<McpServices> = {
  method: 'post',
  path: '/api/mcp',
  operation: 'mcp',
  access: 'key',
  ignoresQuery: true,
  refuses: refusesOrigin,
  handle,
};
