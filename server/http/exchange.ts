/** One request over HTTP and its answer: what the clients of this service share, and what can go wrong on the way. */
import { once } from 'node:events';
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

/** Those that are followed. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What came instead of an answer, in the words of a failure's sentence: they say nothing of addresses. */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault';
}

export interface Exchange {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** False: a connection of its own, which ends with it. */
  agent: Agent | false;
  /** For a new connection. */
  lookup: LookupFunction;
  /** Milliseconds for the look-up of the name and the connection. */
  connectMs: number;
  /** Bounds the whole. */
  signal: AbortSignal;
}

/** A kept connection that its server has closed just when it was used again: the request was not taken. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

/** Sends one request. What `read` leaves unread of the answer ends the connection. */
export async function exchange<T>(
  url: URL,
  options: Exchange,
  read: (response: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await exchangeOnce(url, options, read);
    } catch (error) {
      // Ends, as each time there is one kept connection less.
      if (!(error instanceof StaleConnection)) throw error;
    }
  }
}

async function exchangeOnce<T>(
  url: URL,
  { body, connectMs, ...options }: Exchange,
  read: (response: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, options);
  const connecting = setTimeout(
    () => request.destroy(new AnswerFault(`no connection within ${connectMs / 1000} seconds`)),
    connectMs,
  );
  request.once('socket', (socket) => {
    if (request.reusedSocket) clearTimeout(connecting);
    else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
  });
  let response: IncomingMessage | undefined;
  try {
    const answered = answerTo(request);
    // A server may answer and close before it has taken the body.
    request.on('error', () => {});
    request.end(body);
    response = await answered.catch((error) => {
      throw request.reusedSocket && isReset(error) ? new StaleConnection() : error;
    });
    return await read(response);
  } finally {
    clearTimeout(connecting);
    if (!response?.readableEnded) request.destroy();
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** The answer to a request. Node ends the connection of one that is answered with another protocol without an error. */
async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const closed = new AbortController();
  const onClose = () => closed.abort();
  request.once('close', onClose);
  const [response] = (await once(request, 'response', { signal: closed.signal })) as [IncomingMessage];
  request.off('close', onClose);
  return response;
}

/** Receives a body and keeps nothing of it. One that is too long, too slow or broken off is left where it is. */
export async function discard(response: IncomingMessage, maxBytes: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).byteLength;
      if (bytes > maxBytes) return;
    }
  } catch {
    // Its status has come, and that is all that is wanted of it.
  }
}

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function slow(milliseconds: number): string {
  return `no complete answer within ${milliseconds / 1000} seconds`;
}

/** What went wrong on the network, in words as those of `AnswerFault`. */
export function networkFault(error: unknown): string {
  if (error instanceof AnswerFault) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no address for its host name';
  if (code.startsWith('Z_') || code.startsWith('ERR__')) return 'a body that cannot be unpacked';
  if (code.startsWith('HPE_')) return 'an answer that is not HTTP';
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED)/.test(code)) {
    return 'a certificate or a TLS connection that is not valid';
  }
  return 'a connection that failed';
}
