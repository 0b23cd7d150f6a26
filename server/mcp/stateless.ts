/**
 * Serves messages of revision 2026-07-28. It has no `initialize`: every request names its revision and what the client
 * can do, in headers and in `_meta`. The SDK checks both, and refuses what does not fit with a JSON-RPC error.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { clientSignal } from '../http/cancel.ts';
import type { Context } from '../http/context.ts';
import { boundAnswer } from '../http/server.ts';
import type { HostedToolContext } from './context.ts';
import { createHostedServer } from './hosted-server.ts';
import { COMMENT_MS, prepareStream, progressTokenOf, wantsStream } from './streams.ts';

/** The headers that repeat parts of the message. */
export const MESSAGE_HEADERS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'] as const;

/** No result is larger: an inline image has less than 1,000,000 bytes, and a list at most 500 items. */
const MAX_RESULT_BYTES = 4_000_000;

export async function respondStateless(
  ctx: Context,
  message: JSONRPCMessage,
  hosted: HostedToolContext,
): Promise<void> {
  const streams = wantsStream(ctx, message);
  let fault: unknown;
  const handler = createMcpHandler(
    () => {
      const server = createHostedServer(ctx, streams ? prepareStream(ctx, hosted) : hosted, 'modern');
      // Set the time limit for sending only now: before, the duration of the call was unknown.
      if (streams) server.onclose = () => boundAnswer(ctx.res, MAX_RESULT_BYTES);
      return server;
    },
    {
      legacy: 'reject',
      responseMode: streams ? 'sse' : 'auto',
      keepAliveMs: COMMENT_MS,
      onerror: (error) => {
        fault = error;
      },
    },
  );
  const signal = clientSignal(ctx.res);
  const response = await handler.fetch(new Request(ctx.URL, { method: 'POST', headers: headersOf(ctx), signal }), {
    parsedBody: streams ? message : withoutProgress(message),
  });
  // The client has disconnected; there is nobody to send the result to.
  signal.throwIfAborted();
  if (response.status >= 500) ctx.state.reportBug(fault);
  else if (response.status >= 400) ctx.state.record.errorCode = 'invalid_request';
  await send(ctx, response);
}

function headersOf(ctx: Context): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  for (const name of MESSAGE_HEADERS) if (ctx.get(name) !== '') headers[name] = ctx.get(name);
  return headers;
}

/** A notification would turn the response into a stream, which this client does not accept. */
function withoutProgress(message: JSONRPCMessage): JSONRPCMessage {
  if (progressTokenOf(message) === undefined || !('params' in message)) return message;
  const { progressToken: _, ..._meta } = message.params?._meta ?? {};
  return { ...message, params: { ...message.params, _meta } };
}

async function send(ctx: Context, { status, headers, body }: Response): Promise<void> {
  const type = headers.get('content-type');
  ctx.status = status;
  if (type === null || body === null) ctx.body = '';
  else {
    ctx.type = type;
    ctx.body = type.startsWith('text/event-stream')
      ? Readable.fromWeb(body as ReadableStream)
      : Buffer.from(await new Response(body).arrayBuffer());
  }
}
