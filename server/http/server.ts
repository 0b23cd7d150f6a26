/** The HTTP server below the application: time limits, malformed requests, draining. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientAddresses } from './client-address.ts';
import { limitConnections } from './connections.ts';
import { answerMalformed } from './malformed.ts';
import { serveInOrder } from './pipelined-requests.ts';

/** Time for the headers of a request: a client that sends them byte by byte holds a connection. */
const HEADERS_TIMEOUT_MS = 15_000;

/**
 * How often Node closes connections over their time limits.
 * With its default of 30 s, each limit could last 30 s longer.
 */
const CHECK_INTERVAL_MS = 2000;

/** Time for the first byte on a new connection. */
const FIRST_BYTE_TIMEOUT_MS = 10_000;

/** Longer than the 60 seconds after which common load balancers close an idle connection: theirs must end first. */
const KEEP_ALIVE_MS = 65_000;

/** A client that stops reading its response holds the response's memory. */
const RESPONSE_IDLE_TIMEOUT_MS = 60_000;

/** A client that reads a byte now and then holds it too. This is 256 kbit/s, less than any 3G connection. */
const MIN_RESPONSE_BYTES_PER_SECOND = 32 * 1024;

/** The body reader has its own limit with a better error. This one is only a fallback. */
const UPLOAD_TIMEOUT_MARGIN_MS = 60_000;

export interface HttpServer {
  /** `http://host:port` as bound. */
  address: string;
  /** Requests whose responses are not complete. */
  readonly active: number;
  /**
   * Closes each connection after its current response from now
   * on. Resolves when no request is left, or after `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
  /** Stops listening and closes all remaining connections. */
  close(): Promise<void>;
}

export interface HttpSettings {
  host: string;
  port: number;
  /** For the body of a request. */
  uploadTimeoutSeconds: number;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** CIDR blocks of proxies whose forwarding headers are believed. */
  trustedProxies: readonly string[];
}

/** In milliseconds. */
export interface HttpTimeouts {
  headers: number;
  silent: number;
  checkInterval: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headers: HEADERS_TIMEOUT_MS,
  silent: FIRST_BYTE_TIMEOUT_MS,
  checkInterval: CHECK_INTERVAL_MS,
};

/** Listens and passes every request to `listener`. */
export async function startHttpServer(
  listener: RequestListener,
  settings: HttpSettings,
  timeouts: HttpTimeouts = DEFAULT_TIMEOUTS,
): Promise<HttpServer> {
  const { host, port, uploadTimeoutSeconds, maxConnections, maxConnectionsPerAddress } = settings;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.headers + uploadTimeoutSeconds * 1000 + UPLOAD_TIMEOUT_MARGIN_MS,
    connectionsCheckingInterval: timeouts.checkInterval,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The application checks this and responds with an error object.
    requireHostHeader: false,
  });
  const addresses = new ClientAddresses(settings.trustedProxies);
  limitConnections(server, addresses, { maxConnections, maxConnectionsPerAddress, silentMs: timeouts.silent });
  const answers = new Set<ServerResponse>();
  let draining = false;
  let onIdle = () => {};

  const handle = serveInOrder((req, res) => {
    answers.add(res);
    if (draining) res.setHeader('Connection', 'close');
    res.once('close', () => {
      answers.delete(res);
      if (answers.size === 0) onIdle();
    });
    listener(req, res);
  });
  server.on('request', handle);
  // The body reader sends `100 Continue` after the headers are
  // checked. Other expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on(
    'clientError',
    answerMalformed((socket) => [...answers].find((res) => res.socket === socket)),
  );

  await listen(server, host, port);
  return {
    address: addressOf(server),
    get active() {
      return answers.size;
    },
    async drain(graceMs) {
      draining = true;
      for (const res of answers) if (!res.headersSent) res.setHeader('Connection', 'close');
      server.closeIdleConnections();
      if (answers.size === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Closes the connection if the client reads nothing of a response for a while, or reads the whole too slowly.
 * @param bytes size of the response; undefined for a stream of unknown length
 */
export function boundAnswer(res: ServerResponse, bytes: number | undefined): void {
  const end = () => res.destroy();
  res.setTimeout(RESPONSE_IDLE_TIMEOUT_MS, end);
  if (bytes === undefined) return;
  const timer = setTimeout(end, RESPONSE_IDLE_TIMEOUT_MS + (bytes / MIN_RESPONSE_BYTES_PER_SECOND) * 1000).unref();
  res.once('close', () => clearTimeout(timer));
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
