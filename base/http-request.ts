/**
 * One outgoing HTTP request and its response: the code that the clients of this service share, and the possible errors.
 */
import { once } from 'node:events';
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

/** Redirect statuses that are followed. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Describes what came instead of a valid response, worded to fit into a failure's message. Contains no addresses. */
export class UpstreamError extends Error {
  override readonly name = 'AnswerFault';
}

export interface HttpRequestOptions {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** False: a separate connection, closed after the request. */
  agent: Agent | false;
  /** Resolves the host for a new connection. */
  lookup: LookupFunction;
  /** Milliseconds for the look-up of the name and the connection. */
  connectMs: number;
  /** Aborts the whole request, including its response. */
  signal: AbortSignal;
}

/** The server closed a kept-alive connection just as it was reused. It did not process the request. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

/** Sends one request. Closes the connection if `read` does not read the response to its end. */
export async function sendHttpRequest<T>(
  url: URL,
  options: HttpRequestOptions,
  read: (response: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  const response = await openHttpResponse(url, options);
  try {
    return await read(response);
  } finally {
    if (!response.readableEnded) response.destroy();
  }
}

/** Sends one request. The caller must read the response to its end, or destroy it. */
export async function openHttpResponse(url: URL, options: HttpRequestOptions): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await openHttpResponseOnce(url, options);
    } catch (error) {
      // The loop ends, because each retry uses up one kept-alive connection.
      if (!(error instanceof StaleConnection)) throw error;
    }
  }
}

async function openHttpResponseOnce(
  url: URL,
  { body, connectMs, ...options }: HttpRequestOptions,
): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, options);
  const connecting = setTimeout(
    () => request.destroy(new UpstreamError(`no connection within ${connectMs / 1000} seconds`)),
    connectMs,
  );
  request.once('socket', (socket) => {
    if (request.reusedSocket) clearTimeout(connecting);
    else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
  });
  try {
    const answered = waitForResponse(request);
    // A server may respond and close the connection before it has read the body.
    request.on('error', () => {});
    request.end(body);
    return await answered;
  } catch (error) {
    request.destroy();
    throw request.reusedSocket && isReset(error) ? new StaleConnection() : error;
  } finally {
    clearTimeout(connecting);
  }
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/**
 * Waits for the response. When the server switches protocols,
 * Node closes the connection without an error, hence the signal.
 */
async function waitForResponse(request: ClientRequest): Promise<IncomingMessage> {
  const closed = new AbortController();
  const onClose = () => closed.abort();
  request.once('close', onClose);
  const [response] = (await once(request, 'response', { signal: closed.signal })) as [IncomingMessage];
  request.off('close', onClose);
  return response;
}

/** Reads a body and discards it. Stops without an error if it is too long, too slow or incomplete. */
export async function discard(response: IncomingMessage, maxBytes: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).byteLength;
      if (bytes > maxBytes) return;
    }
  } catch {
    // The status has arrived. The body is not needed.
  }
}

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export const timeoutMessage = (milliseconds: number): string =>
  `no complete answer within ${milliseconds / 1000} seconds`;

/** Describes a network error in the same wording as `UpstreamError`. */
export function describeNetworkError(error: unknown): string {
  if (error instanceof UpstreamError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no address for its host name';
  if (code.startsWith('Z_') || code.startsWith('ERR__')) return 'a body that cannot be unpacked';
  if (code.startsWith('HPE_')) return 'an answer that is not HTTP';
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED)/.test(code)) {
    return 'a certificate or a TLS connection that is not valid';
  }
  return 'a connection that failed';
}
