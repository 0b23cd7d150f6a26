/**
 * The client for all requests to addresses that callers name. It connects to public addresses only, checks them on
 * connection and again on each redirect, and limits sizes and times. It keeps no connection alive: two requests to the
 * same host are rare, and a kept-alive connection would need a check of its own.
 */
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../base/failure.ts';
import {
  describeNetworkError,
  discard,
  headerOf,
  REDIRECTS,
  sendHttpRequest,
  timeoutMessage,
  UpstreamError,
} from '../../base/http-request.ts';
import { AddressPolicy } from './addresses.ts';
import { createGuardedLookup, getPort, getRefusal, type Resolve, resolveBySystem } from './connector.ts';
import { fileTooLarge } from './errors.ts';
import {
  type AddressParam,
  connectionNotAllowed,
  deliveryFailed,
  failureFor,
  postFailed,
  urlFetchFailed,
} from './outgoing-errors.ts';
import { decodeBody, isLikelyPage, receive } from './response-body.ts';
import { parseUrl, redirected } from './web-address.ts';

const MAX_REDIRECTS = 5;

/** All in milliseconds. */
export interface OutgoingTimes {
  /** For the look-up of the name and the connection. */
  connect: number;
  /** For a fetch with all its redirects, to the last byte. */
  fetch: number;
  /** For one attempt of a delivery. */
  put: number;
}

const TIMES: OutgoingTimes = { connect: 5000, fetch: 20_000, put: 30_000 };

export interface OutgoingOptions {
  /** CIDR blocks that may be reached on any port although they are private. */
  allowPrivate: readonly string[];
  userAgent: string;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  times?: Partial<OutgoingTimes>;
  /** Creates a signal that aborts after a time. Default: by the system's clock. */
  timeout?: (milliseconds: number) => AbortSignal;
}

export interface FetchOptions {
  maxBytes: number;
  signal?: AbortSignal;
  /** Called with the new size before more is taken into memory. The fetch ends if it throws. */
  reserve?: (bytes: number) => void;
}

export interface FetchedFile {
  data: ArrayBuffer;
  contentType: string | undefined;
  /** The last part of the URL's path. */
  filename: string | undefined;
  /** The URL after all redirects. Its query may hold secrets, so it must not be logged. */
  finalUrl: string;
}

export interface Delivery {
  host: string;
  status: number;
  durationMs: number;
}

export interface PostOptions {
  headers: Readonly<Record<string, string>>;
  /** For the look-up, the connection and the whole response. */
  timeoutMs: number;
  /** Bytes of the response body to receive and discard, so that the receiver can finish sending it. */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface Posted {
  status: number;
  /** The Retry-After header as received. */
  retryAfter: string | undefined;
}

export interface Outgoing {
  /**
   * Downloads a file into one buffer of its size. Redirects from https to http are followed, because no secret is sent.
   * @throws Failure `invalid_url`, `url_not_allowed`, `file_too_large` or `url_fetch_failed`; the reason of `signal`
   */
  fetchImage(url: string, options: FetchOptions): Promise<FetchedFile>;
  /**
   * Uploads a file by PUT, without following redirects. Retries once after a network error or a 5xx status.
   * @throws Failure `invalid_url`, `url_not_allowed` or `delivery_failed`; the reason of `signal`
   */
  put(url: string, body: ArrayBuffer, options: { contentType: string; signal?: AbortSignal }): Promise<Delivery>;
  /**
   * Sends a body by POST, once, without following redirects. Only the
   * status of the response counts; an error in its body is ignored.
   * @throws Failure `invalid_url`, `url_not_allowed` or `delivery_failed`; the reason of `signal`
   */
  post(url: string, body: Uint8Array, options: PostOptions): Promise<Posted>;
}

interface Request {
  method: 'GET' | 'PUT' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

export class HttpOutgoing implements Outgoing {
  readonly #policy: AddressPolicy;
  readonly #userAgent: string;
  readonly #resolve: Resolve;
  readonly #times: OutgoingTimes;
  readonly #timeoutAfter: (milliseconds: number) => AbortSignal;

  constructor({ allowPrivate, userAgent, resolve, times, timeout }: OutgoingOptions) {
    this.#policy = new AddressPolicy(allowPrivate);
    this.#userAgent = userAgent;
    this.#resolve = resolve ?? resolveBySystem;
    this.#times = { ...TIMES, ...times };
    this.#timeoutAfter = timeout ?? ((milliseconds) => AbortSignal.timeout(milliseconds));
  }

  async fetchImage(address: string, options: FetchOptions): Promise<FetchedFile> {
    const url = parseUrl(address, 'url');
    return await this.#limited('url', this.#times.fetch, urlFetchFailed, options.signal, (signal) =>
      this.#follow(url, options, signal),
    );
  }

  async put(
    address: string,
    body: ArrayBuffer,
    { contentType, signal }: { contentType: string; signal?: AbortSignal },
  ): Promise<Delivery> {
    const url = parseUrl(address, 'deliver_to');
    const started = performance.now();
    const headers = { 'content-type': contentType, 'content-length': String(body.byteLength) };
    const attempt = () =>
      this.#limited('deliver_to', this.#times.put, deliveryFailed, signal, (limited) => {
        const request = { method: 'PUT', headers, body: new Uint8Array(body) } as const;
        return this.#call(url, request, limited, ({ statusCode = 0 }) => statusCode);
      });
    const status = await withOneRetry(attempt);
    if (status < 200 || status > 299) throw deliveryFailed(`status ${status}`);
    return { host: url.host, status, durationMs: Math.round(performance.now() - started) };
  }

  async post(
    address: string,
    body: Uint8Array,
    { headers, timeoutMs, maxAnswerBytes, signal }: PostOptions,
  ): Promise<Posted> {
    const url = parseUrl(address, 'webhook_url');
    const request = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.byteLength) },
      body,
    } as const;
    return await this.#limited('webhook_url', timeoutMs, postFailed, signal, (limited) =>
      this.#call(url, request, limited, async (response) => {
        const { statusCode: status = 0 } = response;
        await discard(response, maxAnswerBytes);
        return { status, retryAfter: headerOf(response, 'retry-after') };
      }),
    );
  }

  /** Runs requests with a time limit, and turns their errors into failures. */
  async #limited<T>(
    param: AddressParam,
    limitMs: number,
    failed: Parameters<typeof failureFor>[3],
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeout = this.#timeoutAfter(limitMs);
    try {
      return await run(anySignal(signal, timeout));
    } catch (error) {
      signal?.throwIfAborted();
      throw failureFor(error, param, timeout.aborted ? timeoutMessage(limitMs) : describeNetworkError(error), failed);
    }
  }

  async #follow(start: URL, options: FetchOptions, signal: AbortSignal): Promise<FetchedFile> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#get(url, options, signal);
      if (!(answer instanceof URL)) return answer;
      url = answer;
    }
    throw new UpstreamError(`more than ${MAX_REDIRECTS} redirects`);
  }

  /** Sends one request of a fetch. Returns the file, or the URL of a redirect. */
  async #get(url: URL, options: FetchOptions, signal: AbortSignal): Promise<FetchedFile | URL> {
    // Ask for an uncompressed body, because a compressed one has to be decompressed to know its size.
    const headers = { accept: 'image/*,*/*;q=0.8', 'accept-encoding': 'identity' };
    return await this.#call(url, { method: 'GET', headers }, signal, async (response) => {
      const { statusCode = 0 } = response;
      if (REDIRECTS.has(statusCode)) return redirected(url, headerOf(response, 'location'));
      if (statusCode !== 200) throw new UpstreamError(`status ${statusCode}`);
      const data = await readFile(response, options);
      const contentType = headerOf(response, 'content-type');
      if (data.byteLength === 0) throw new UpstreamError('an empty body');
      if (isLikelyPage(contentType, data)) throw new UpstreamError('a web page');
      return { data, contentType, filename: filenameOf(url), finalUrl: url.href };
    });
  }

  /** Sends one request and closes its connection when `read` is done with the response. The signal aborts all of it. */
  async #call<T>(
    url: URL,
    { method, headers, body }: Request,
    signal: AbortSignal,
    read: (response: IncomingMessage) => T | Promise<T>,
  ): Promise<T> {
    return await sendHttpRequest(
      url,
      {
        method,
        headers: { 'user-agent': this.#userAgent, ...headers },
        ...(body && { body }),
        agent: false,
        lookup: createGuardedLookup(url, this.#policy, this.#resolve),
        connectMs: this.#times.connect,
        signal,
      },
      read,
    );
  }
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
 * Checks a URL as far as possible without a look-up, for a request that is made later.
 * @throws Failure `invalid_url` or `url_not_allowed`
 */
export function checkAddress(text: string, param: AddressParam, policy: AddressPolicy): URL {
  const url = parseUrl(text, param);
  const refusal = getRefusal(url, policy) ?? policy.refusalOfPort(getPort(url));
  if (refusal) throw connectionNotAllowed(param, refusal);
  return url;
}

async function readFile(response: IncomingMessage, { maxBytes, reserve }: FetchOptions): Promise<ArrayBuffer> {
  const length = headerOf(response, 'content-length');
  if (length !== undefined && Number(length) > maxBytes) throw fileTooLarge(maxBytes, 'url');
  const body = decodeBody(response, headerOf(response, 'content-encoding'));
  const expectedBytes = body === response && length !== undefined ? Number(length) : undefined;
  return await receive(body, maxBytes, expectedBytes, reserve);
}

function filenameOf(url: URL): string | undefined {
  const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last;
  }
}

const anySignal = (signal: AbortSignal | undefined, timeout: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, timeout]) : timeout;
