/** The connections of a scan. They are kept alive, and all requests of the scan share them. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { headerOf, sendHttpRequest } from '../../../base/http-request.ts';
import { createGuardedLookup, type Resolve } from '../../http/connector.ts';
import { readBody, readStart, skipBody } from './response-body.ts';
import type { SiteFetch, SiteResponse } from './site-client.ts';
import type { SitePolicy } from './site-policy.ts';

/** Idle connections are closed after this time. */
const IDLE_TIMEOUT_MS = 10_000;

/** The response to one request, which may redirect to another address. */
export interface RawResponse extends Omit<SiteResponse, 'finalUrl' | 'redirects'> {
  location: string | undefined;
  retryAfter: string | undefined;
}

export interface ConnectionOptions {
  /** Maximum simultaneous connections to one host. */
  concurrency: number;
  userAgent: string;
  policy: SitePolicy;
  resolve: Resolve;
  /** Time limit of the DNS lookup and the connection. */
  connectMs: number;
}

export class SiteConnections {
  readonly #options: ConnectionOptions;
  readonly #httpAgent: HttpAgent;
  readonly #httpsAgent: HttpsAgent;
  #receivedBytes = 0;
  /** Bytes received over each connection by the end of its last response. */
  readonly #counted = new WeakMap<Socket, number>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const agentOptions = { keepAlive: true, maxSockets: options.concurrency, timeout: IDLE_TIMEOUT_MS };
    this.#httpAgent = new HttpAgent(agentOptions);
    this.#httpsAgent = new HttpsAgent(agentOptions);
  }

  /** Sends one request and reads its response, whatever its status. */
  async send(url: URL, request: SiteFetch, signal: AbortSignal): Promise<RawResponse> {
    const { userAgent, policy, resolve, connectMs } = this.#options;
    const { method = 'GET', accept, maxBytes, grow } = request;
    const read = request.truncates ? readStart : readBody;
    const known = request.known?.finalUrl === url.href ? request.known : undefined;
    const headers = {
      'user-agent': userAgent,
      accept,
      'accept-encoding': 'gzip, br',
      ...(known?.etag && { 'if-none-match': known.etag }),
      ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
    };
    const agent = url.protocol === 'https:' ? this.#httpsAgent : this.#httpAgent;
    const lookup = createGuardedLookup(url, policy.for(url), resolve);
    return await sendHttpRequest(url, { method, headers, agent, lookup, connectMs, signal }, async (response) => {
      const { statusCode: status = 0, socket } = response;
      try {
        const isWanted = status === 200 && method === 'GET';
        const body = await (isWanted ? read(response, maxBytes, grow) : skipBody(response, method));
        return {
          ...body,
          status,
          contentType: headerOf(response, 'content-type'),
          contentEncoding: headerOf(response, 'content-encoding'),
          cacheControl: headerOf(response, 'cache-control'),
          etag: headerOf(response, 'etag'),
          lastModified: headerOf(response, 'last-modified'),
          vary: headerOf(response, 'vary'),
          location: headerOf(response, 'location'),
          retryAfter: headerOf(response, 'retry-after'),
        };
      } finally {
        this.#receivedBytes += socket.bytesRead - (this.#counted.get(socket) ?? 0);
        this.#counted.set(socket, socket.bytesRead);
      }
    });
  }

  /** Returns the bytes received since the last call, including those of failed responses. */
  takeReceivedBytes(): number {
    const taken = this.#receivedBytes;
    this.#receivedBytes = 0;
    return taken;
  }

  close(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent.destroy();
  }
}
