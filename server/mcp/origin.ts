/**
 * Decides which web pages may call the MCP server from a browser (MCP, "Streamable HTTP", security warning). It
 * prevents DNS rebinding: an attacker's domain resolves to this machine, so the browser treats requests to it as
 * same-origin.
 */
import { isIP } from 'node:net';
import type { Failure } from '../../base/failure.ts';
import type { Context } from '../http/context.ts';
import { invalidRequest } from '../http/errors.ts';
import { sendFailure } from '../http/failures.ts';
import type { McpServices } from './services.ts';

/** Responds 403 to requests with an unknown Host or from another site's page. Returns true if it has responded. */
export function refusesOrigin(ctx: Context, services: McpServices): boolean {
  const failure = wrongHost(ctx, services) ?? wrongOrigin(ctx, services);
  // No error code of the API has this status, so it is passed explicitly.
  if (failure) sendFailure(ctx, failure, 403);
  return failure !== undefined;
}

function wrongHost(ctx: Context, { baseUrl }: McpServices): Failure | undefined {
  const host = ctx.get('Host');
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (url && (isSafeHostname(url.hostname) || url.hostname === new URL(baseUrl).hostname)) return undefined;
  return invalidRequest('the host of IC_BASE_URL, localhost or an IP address', 'Host', 'another name');
}

/** Whether a host name cannot be rebound: localhost or an IP address. */
const isSafeHostname = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;

function wrongOrigin(ctx: Context, { baseUrl, config: { corsOrigins } }: McpServices): Failure | undefined {
  const origin = ctx.get('Origin');
  if (origin === '' || corsOrigins.includes('*') || corsOrigins.includes(origin)) return undefined;
  const isOwn = URL.canParse(origin) && [ctx.get('Host'), new URL(baseUrl).host].includes(new URL(origin).host);
  return isOwn ? undefined : invalidRequest('the own origin or one of IC_CORS_ORIGINS', 'Origin', 'another one');
}
