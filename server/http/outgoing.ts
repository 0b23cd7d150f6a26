/**
 * The one client for every request that this service makes to addresses that callers name: public addresses only,
 * checked when connecting, each redirect again; sizes and times bounded. No connection is kept: two requests to the
 * same host are rare, and a kept connection would have to be checked against a rule of its own.
 */
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { Failure } from '../../base/failure.ts';
import { AddressPolicy } from './addresses.ts';
import { ConnectionRefused, guardedLookup, portOf, type Resolve, refusalOf, resolveBySystem } from './connector.ts';
import { fileTooLarge } from './errors.ts';
import {
  type AddressParam,
  connectionNotAllowed,
  credentialsNotAllowed,
  deliveryFailed,
  invalidUrl,
  postFailed,
  urlFetchFailed,
} from './outgoing-errors.ts';
import { decoded, looksLikePage, receive } from './received.ts';

const LONGEST_URL = 2048;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** All in milliseconds. */
export interface OutgoingTimes {
  /** Look-up of the name and connection. */
  connect: number;
  /** A fetch with all its redirects, to the last byte. */
  fetch: number;
  /** One attempt of a delivery. */
  put: number;
}

const TIMES: OutgoingTimes = { connect: 5000, fetch: 20_000, put: 30_000 };

export interface OutgoingOptions {
  /** CIDR blocks that may be reached although private, on any port. */
  allowPrivate: readonly string[];
  userAgent: string;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  times?: Partial<OutgoingTimes>;
  /** Signals that a time is over; default: by the system's clock. */
  timeout?: (milliseconds: number) => AbortSignal;
}

export interface FetchOptions {
  maxBytes: number;
  signal?: AbortSignal;
  /** Called with the size so far before more is taken into memory; what it throws ends the fetch. */
  reserve?: (bytes: number) => void;
}

export interface FetchedFile {
  data: ArrayBuffer;
  contentType: string | undefined;
  /** The last part of the address's path. */
  filename: string | undefined;
  /** Where the redirects ended. Its query may hold secrets: not for logs. */
  finalUrl: string;
}

export interface Delivery {
  host: string;
  status: number;
  durationMs: number;
}

export interface PostOptions {
  headers: Readonly<Record<string, string>>;
  /** For the look-up, the connection and the whole answer. */
  timeoutMs: number;
  /** Bytes of the answer's body that are received, so that its sender can finish; all of them are thrown away. */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface Posted {
  status: number;
  /** The header, as it came. */
  retryAfter: string | undefined;
}

export interface Outgoing {
  /**
   * Downloads a file into one buffer of its size. Redirects may lead from https to http: nothing secret is sent along.
   * @throws Failure `invalid_url`, `url_not_allowed`, `file_too_large` or `url_fetch_failed`; the reason of `signal`
   */
  fetchImage(url: string, options: FetchOptions): Promise<FetchedFile>;
  /**
   * Uploads a file by PUT, without following redirects; tries once more after a network error or a status of 5xx.
   * @throws Failure `invalid_url`, `url_not_allowed` or `delivery_failed`; the reason of `signal`
   */
  put(url: string, body: ArrayBuffer, options: { contentType: string; signal?: AbortSignal }): Promise<Delivery>;
  /**
   * Sends a body by POST, once, without following redirects. Every answer counts from its status on, whatever becomes of
   * its body.
   * @throws Failure `invalid_url`, `url_not_allowed` or `delivery_failed`; the reason of `signal`
   */
  post(url: string, body: Uint8Array, options: PostOptions): Promise<Posted>;
}

interface Request {
  method: 'GET' | 'PUT' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

export function createOutgoing({
  allowPrivate,
  userAgent,
  resolve = resolveBySystem,
  times: changedTimes,
  timeout: timeoutAfter = AbortSignal.timeout,
}: OutgoingOptions): Outgoing {
  const times = { ...TIMES, ...changedTimes };
  const policy = new AddressPolicy(allowPrivate);

  /** Sends one request and ends its connection when `read` is done with the answer. The signal bounds the whole. */
  async function call<T>(
    url: URL,
    { method, headers, body }: Request,
    signal: AbortSignal,
    read: (response: IncomingMessage) => T | Promise<T>,
  ): Promise<T> {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const lookup = guardedLookup(url, policy, resolve);
    const request = send(url, {
      method,
      headers: { 'user-agent': userAgent, ...headers },
      agent: false,
      lookup,
      signal,
    });
    const connecting = setTimeout(() => request.destroy(new ConnectTimeout()), times.connect);
    request.once('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
    try {
      const answered = answerTo(request);
      // A server may answer and close before it has taken the body.
      request.on('error', () => {});
      request.end(body);
      return await read(await answered);
    } finally {
      clearTimeout(connecting);
      request.destroy();
    }
  }

  /** One hop: the file, or the address to go on with. */
  async function get(url: URL, options: FetchOptions, signal: AbortSignal): Promise<FetchedFile | URL> {
    // A compressed body would have to be unpacked to know its size, so none is asked for.
    const headers = { accept: 'image/*,*/*;q=0.8', 'accept-encoding': 'identity' };
    return await call(url, { method: 'GET', headers }, signal, async (response) => {
      const { statusCode = 0 } = response;
      if (REDIRECTS.has(statusCode)) return redirected(url, headerOf(response, 'location'));
      if (statusCode !== 200) throw urlFetchFailed(`status ${statusCode}`);
      const data = await readFile(response, options);
      const contentType = headerOf(response, 'content-type');
      if (data.byteLength === 0) throw urlFetchFailed('an empty body');
      if (looksLikePage(contentType, data)) throw urlFetchFailed('a web page');
      return { data, contentType, filename: filenameOf(url), finalUrl: url.href };
    });
  }

  async function follow(start: URL, options: FetchOptions, signal: AbortSignal): Promise<FetchedFile> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await get(url, options, signal);
      if (!(answer instanceof URL)) return answer;
      url = answer;
    }
    throw urlFetchFailed(`more than ${MAX_REDIRECTS} redirects`);
  }

  return {
    async fetchImage(address, options) {
      const { signal } = options;
      const url = parseUrl(address, 'url');
      const timeout = timeoutAfter(times.fetch);
      try {
        return await follow(url, options, either(signal, timeout));
      } catch (error) {
        signal?.throwIfAborted();
        throw failureFor(
          error,
          'url',
          timeout.aborted ? slow(times.fetch) : networkFault(error, times),
          urlFetchFailed,
        );
      }
    },

    async put(address, body, { contentType, signal }) {
      const url = parseUrl(address, 'deliver_to');
      const started = performance.now();
      const headers = { 'content-type': contentType, 'content-length': String(body.byteLength) };
      const attempt = async (): Promise<number> => {
        const timeout = timeoutAfter(times.put);
        const request = { method: 'PUT', headers, body: new Uint8Array(body) } as const;
        try {
          return await call(url, request, either(signal, timeout), ({ statusCode = 0 }) => statusCode);
        } catch (error) {
          signal?.throwIfAborted();
          const received = timeout.aborted ? slow(times.put) : networkFault(error, times);
          throw failureFor(error, 'deliver_to', received, deliveryFailed);
        }
      };
      const status = await withOneRetry(attempt);
      if (status < 200 || status > 299) throw deliveryFailed(`status ${status}`);
      return { host: url.host, status, durationMs: Math.round(performance.now() - started) };
    },

    async post(address, body, { headers, timeoutMs, maxAnswerBytes, signal }) {
      const url = parseUrl(address, 'webhook_url');
      const timeout = timeoutAfter(timeoutMs);
      const request = {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.byteLength) },
        body,
      } as const;
      try {
        return await call(url, request, either(signal, timeout), async (response) => {
          const { statusCode: status = 0 } = response;
          await discard(response, maxAnswerBytes);
          return { status, retryAfter: headerOf(response, 'retry-after') };
        });
      } catch (error) {
        signal?.throwIfAborted();
        throw failureFor(
          error,
          'webhook_url',
          timeout.aborted ? slow(timeoutMs) : networkFault(error, times),
          postFailed,
        );
      }
    },
  };
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

async function withOneRetry(attempt: () => Promise<number>): Promise<number> {
  try {
    const status = await attempt();
    if (status < 500) return status;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'delivery_failed') throw error;
  }
  return await attempt();
}

/**
 * Checks an address as far as that goes without a look-up, for a request that is made later.
 * @throws Failure `invalid_url` or `url_not_allowed`
 */
export function checkAddress(text: string, param: AddressParam, policy: AddressPolicy): URL {
  const url = parseUrl(text, param);
  const refusal = refusalOf(url, policy) ?? policy.refusalOfPort(portOf(url));
  if (refusal) throw connectionNotAllowed(param, refusal);
  return url;
}

function parseUrl(text: string, param: AddressParam): URL {
  if (text.length > LONGEST_URL || !URL.canParse(text)) throw invalidUrl(param, LONGEST_URL);
  return checkUrl(new URL(text), param);
}

function checkUrl(url: URL, param: AddressParam): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidUrl(param, LONGEST_URL);
  if (url.username !== '' || url.password !== '') throw credentialsNotAllowed(param);
  return url;
}

function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from)) throw urlFetchFailed('a redirect to nowhere');
  return checkUrl(new URL(location, from), 'url');
}

async function readFile(response: IncomingMessage, { maxBytes, reserve }: FetchOptions): Promise<ArrayBuffer> {
  const length = headerOf(response, 'content-length');
  if (length !== undefined && Number(length) > maxBytes) throw fileTooLarge(maxBytes, 'url');
  const body: Readable = decoded(response, headerOf(response, 'content-encoding'));
  const expectedBytes = body === response && length !== undefined ? Number(length) : undefined;
  return await receive(body, maxBytes, expectedBytes, reserve);
}

/** Receives a body and keeps nothing of it. One that is too long, too slow or broken off is left where it is. */
async function discard(response: IncomingMessage, maxBytes: number): Promise<void> {
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

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function filenameOf(url: URL): string | undefined {
  const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last;
  }
}

function either(signal: AbortSignal | undefined, timeout: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function slow(milliseconds: number): string {
  return `no complete answer within ${milliseconds / 1000} seconds`;
}

/** What went wrong on the network, in words that say nothing of addresses. */
function networkFault(error: unknown, times: OutgoingTimes): string {
  if (error instanceof ConnectTimeout) return `no connection within ${times.connect / 1000} seconds`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no address for its host name';
  if (code.startsWith('Z_')) return 'a body that cannot be unpacked';
  return 'a connection that failed';
}

function failureFor(
  error: unknown,
  param: AddressParam,
  received: string,
  failed: (received: string, cause: unknown) => Failure,
): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConnectionRefused) return connectionNotAllowed(param, error.refusal, error);
  return failed(received, error);
}
