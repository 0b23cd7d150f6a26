/** What event streams of all revisions have in common. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Context } from '../http/context.ts';
import type { HostedToolContext } from './context.ts';

/** Interval of comments on the event stream. Proxies close a stream without data for longer. */
export const COMMENT_MS = 15_000;

/** Whether to respond with an event stream. Progress notifications need one. */
export function wantsStream(ctx: Context, message: JSONRPCMessage): boolean {
  const accepted = ctx.accepts('application/json', 'text/event-stream');
  if (accepted === 'text/event-stream') return true;
  return progressTokenOf(message) !== undefined && ctx.get('Accept').includes('text/event-stream');
}

/** The token under which the client requests progress. */
export const progressTokenOf = (message: JSONRPCMessage): unknown =>
  'params' in message ? message.params?._meta?.progressToken : undefined;

/**
 * Sets the headers of an event stream. The quota is only known after the headers were sent, so it is not reported.
 * @returns the context for the call
 */
export function prepareStream(ctx: Context, hosted: HostedToolContext): HostedToolContext {
  ctx.remove('X-Quota-Meter');
  ctx.set('X-Accel-Buffering', 'no');
  ctx.type = 'text/event-stream';
  return { ...hosted, countedAgainst: () => {} };
}
