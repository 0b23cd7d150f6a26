/**
 * /api/mcp: the tools over Streamable HTTP (spec/shapes.md, section 18.1). A server of the SDK for each request: nothing is
 * kept between two of them.
 */
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  CancelledNotificationSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { packageVersion } from '../../cli/version.ts';
import { clientSignal } from '../../http/cancel.ts';
import type { Caller, Context } from '../../http/context.ts';
import type { Endpoint, Services } from '../../http/endpoint.ts';
import { boundAnswer } from '../../http/server.ts';
import type { UploadRoom } from '../../http/uploads.ts';
import { createMcpServer } from '../sdk-server.ts';
import { Calls } from './calls.ts';
import type { Hosted } from './context.ts';
import { SingleExchange } from './exchange.ts';
import { receiveMessage } from './message.ts';
import { refusesOrigin } from './origin.ts';
import { HOSTED_TOOLS, INSTRUCTIONS } from './tools.ts';

/** Names a client, so that it can cancel a call of its own. Nothing is kept under it, and none need be sent. */
const CLIENT_HEADER = 'Mcp-Session-Id';

/** A proxy takes a stream that says nothing for longer for a dead one. */
const COMMENT_MS = 15_000;

const VERSION = packageVersion();

const calls = new Calls();

async function handle(ctx: Context, services: Services, caller: Caller): Promise<void> {
  const room = services.uploads.open(caller.account.id);
  ctx.res.once('close', () => room.release());
  try {
    await respond(ctx, services, caller, room);
  } catch (error) {
    // Where a body was refused the connection stays for a while.
    room.release();
    throw error;
  }
}

async function respond(ctx: Context, services: Services, caller: Caller, room: UploadRoom): Promise<void> {
  const received = await receiveMessage(ctx, services, room);
  if (!received) return;
  const { message, bytes } = received;
  ctx.set('Cache-Control', 'no-store');
  if (!isJSONRPCRequest(message)) {
    hear(message, ctx, caller);
    accept(ctx);
    return;
  }
  const hosted: Hosted = {
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
  if (wantsStream(ctx, message)) stream(ctx, message, hosted);
  else await answer(ctx, message, hosted);
}

/** Notifications and answers: of what a client says unasked, one thing matters to a server without sessions. */
function hear(message: JSONRPCMessage, ctx: Context, caller: Caller): void {
  const { success, data } = CancelledNotificationSchema.safeParse(message);
  const requestId = data?.params.requestId;
  if (success && requestId !== undefined) calls.cancel(nameOf(ctx, caller, requestId));
}

function nameOf(ctx: Context, { key }: Caller, requestId: string | number) {
  return { keyId: key.id, client: ctx.get(CLIENT_HEADER), requestId };
}

/** 202 without a body. */
function accept(ctx: Context): void {
  ctx.status = 202;
  ctx.body = '';
}

/** To be told of progress takes a stream. */
function wantsStream(ctx: Context, { params }: JSONRPCRequest): boolean {
  const accepted = ctx.accepts('application/json', 'text/event-stream');
  if (accepted === 'text/event-stream') return true;
  return params?._meta?.progressToken !== undefined && ctx.get('Accept').includes('text/event-stream');
}

async function answer(ctx: Context, request: JSONRPCRequest, hosted: Hosted): Promise<void> {
  const signal = clientSignal(ctx.res);
  const message = await ask(ctx, request, hosted, () => {});
  // Whatever it is, nobody is left to be told.
  signal.throwIfAborted();
  if (message === undefined) accept(ctx);
  else ctx.body = { ...message };
}

function stream(ctx: Context, request: JSONRPCRequest, hosted: Hosted): void {
  const events = new PassThrough();
  const eventOf = (message: JSONRPCMessage) => Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const comment = setInterval(() => events.write(':\n\n'), COMMENT_MS).unref();
  // It is known when the headers have gone.
  const untold = { ...hosted, countedAgainst: () => {} };
  ctx.remove('X-Quota-Meter');
  ctx.set('X-Accel-Buffering', 'no');
  ctx.type = 'text/event-stream';
  ctx.body = events;
  ask(ctx, request, untold, (message) => events.write(eventOf(message)))
    .then((message) => {
      if (!message) return;
      const last = eventOf(message);
      // Until now nobody could say how long it would take.
      boundAnswer(ctx.res, last.byteLength);
      events.write(last);
    })
    .catch((error) => ctx.state.reportBug(error))
    .finally(() => {
      clearInterval(comment);
      events.end();
    });
}

/** Lets a server answer one request; undefined when it was cancelled or the client has gone. */
async function ask(
  ctx: Context,
  request: JSONRPCRequest,
  hosted: Hosted,
  notify: (message: JSONRPCMessage) => void,
): Promise<JSONRPCMessage | undefined> {
  if (isInitializeRequest(request)) ctx.set(CLIENT_HEADER, randomUUID());
  const exchange = new SingleExchange(request, notify);
  const cancel = () => void exchange.close();
  const forget = calls.add(nameOf(ctx, hosted.caller, request.id), cancel);
  ctx.res.once('close', cancel);
  const server = createMcpServer(HOSTED_TOOLS, hosted, {
    name: 'imagecrew',
    version: VERSION,
    instructions: INSTRUCTIONS,
    onFailure(failure) {
      hosted.record.errorCode = failure.code;
      if (failure.code === 'internal_error') ctx.state.reportBug(failure.cause ?? failure);
    },
  });
  try {
    await server.connect(exchange);
    return await exchange.answer;
  } finally {
    forget();
  }
}

export const mcpEndpoint: Endpoint = {
  method: 'post',
  path: '/api/mcp',
  operation: 'mcp',
  access: 'key',
  errors: [],
  documentation: undefined,
  refuses: refusesOrigin,
  handle,
};
