/**
 * Fetches the files of a website for a scan: politely, safely and within limits. All fetches of a scan share its
 * connections and the pace per host (docs/spec/shapes.md, sections 16.7 and 16.8).
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { Failure } from '../../../base/failure.ts';
import {
  describeNetworkError,
  headerOf,
  REDIRECTS,
  sendHttpRequest,
  UpstreamError,
} from '../../../base/http-request.ts';
import { MAX_ADDRESS_LENGTH } from '../../../web-documents/address.ts';
import { ConnectionRefused, createGuardedLookup, type Resolve, resolveBySystem } from '../../http/connector.ts';
import { failureFor, urlFetchFailed } from '../../http/outgoing-errors.ts';
import { parseUrl, redirected } from '../../http/web-address.ts';
import { HostPace } from './pace.ts';
import { readBody, readStart, skipBody } from './response-body.ts';
import { retryAfterMs } from './retry-after.ts';
import { ROBOTS_BYTES, type Robots } from './robots.ts';
import { RobotsFiles } from './robots-files.ts';
import { type OwnService, SitePolicy } from './site-policy.ts';
import { TimeLimit } from './time-limit.ts';

export interface SiteFetch {
  url: string;
  /** Value of the `Accept` header. */
  accept: string;
  /** Maximum bytes of the body, packed and unpacked. */
  maxBytes: number;
  method?: 'GET' | 'HEAD';
  /** Called once when the body is longer than `maxBytes`; returns the new limit. */
  grow?: () => number;
  /** When the body is longer, its beginning is enough. */
  truncates?: boolean;
  /** The result is optional: a busy host is not asked again for it. */
  optional?: boolean;
  maxRedirects?: number;
  /**
   * What an earlier scan saw at the end of the redirects. Sent as If-None-Match and If-Modified-Since, only to that
   * address. Status 304 means that nothing has changed.
   */
  known?: { finalUrl: string | null; etag: string | null; lastModified: string | null };
  signal: AbortSignal;
}

/** A response of any status. */
export interface SiteResponse {
  status: number;
  /** The address at the end of the redirects. */
  finalUrl: string;
  redirects: number;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  cacheControl: string | undefined;
  etag: string | undefined;
  lastModified: string | undefined;
  vary: string | undefined;
  /**
   * The body without content coding, in a buffer of exactly its size, so that it can be transferred to a worker. Empty
   * for HEAD, 304 and errors.
   */
  data: ArrayBuffer;
  /** Bytes received over the network. */
  receivedBytes: number;
}

export interface SiteClient {
  /**
   * Fetches an address that robots.txt allows, when it is the host's turn. Waits after status 429 or 503 and tries
   * again, three times in all. A host is not asked again when it answers only 429 or 503 for two addresses, or when it
   * does not respond.
   * @throws RobotsForbidden; Failure `invalid_url`, `url_not_allowed`, `file_too_large` or `url_fetch_failed`; the
   * abort reason of the signal
   */
  fetch(request: SiteFetch): Promise<SiteResponse>;
  /**
   * Reads the robots.txt of the address's host. It is read once per scheme, host and port.
   * @throws Failure `url_fetch_failed` when robots.txt cannot be read: then no address of the host may be fetched
   */
  robots(url: string, signal: AbortSignal): Promise<SiteRobots>;
  /** Whether at least one host is not asked any more. */
  readonly hasStopped: boolean;
  /** Returns the bytes received over the network since the last call, including those of failed responses. */
  takeReceivedBytes(): number;
  /** Closes the connections. */
  close(): void;
}

export interface SiteRobots {
  allows(url: string): boolean;
  /** Absolute addresses from the `Sitemap` lines. */
  readonly sitemaps: readonly string[];
}

interface SitePace {
  /** Maximum simultaneous connections to one host. */
  concurrency: number;
  /** Milliseconds between the starts of two requests to one host. */
  delayMs: number;
}

/** 422: robots.txt forbids an address, or one that it was redirected to. */
export class RobotsForbidden extends Failure {
  readonly finalUrl: string;

  constructor(finalUrl: string) {
    const message = 'Expected an address that robots.txt allows for url but received another one.';
    super('url_fetch_failed', message, { param: 'url' });
    this.finalUrl = finalUrl;
  }
}

/** Time limits in milliseconds. */
interface SiteTimes {
  /** DNS lookup and connection. */
  connect: number;
  /** A fetch with all its redirects, to the last byte. Waiting for turns is not counted. */
  fetch: number;
}

export interface SiteClientOptions {
  /** CIDR blocks that may be reached although they are private, on any port. */
  allowPrivate: readonly string[];
  userAgent: string;
  pace: SitePace;
  /** Whether robots.txt is ignored for an address. Default: never. */
  isExempt?: (url: URL) => boolean;
  /** Where this service is reached. It is not fetched from unless `allowPrivate` contains it. */
  own?: OwnService;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  times?: Partial<SiteTimes>;
  clock?: Clock;
}

const TIMES: SiteTimes = { connect: 10_000, fetch: 30_000 };
const MAX_REDIRECTS = 5;
/** Status codes of a host that is asked too often. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503]);
const MAX_ATTEMPTS = 3;
/** Idle connections are closed after this time. */
const IDLE_TIMEOUT_MS = 10_000;

/** What a fetch is for. */
interface Purpose {
  wanted: string;
  /** Check robots.txt for each address. */
  keepsRobots: boolean;
}

interface RawResponse extends Omit<SiteResponse, 'finalUrl' | 'redirects'> {
  location: string | undefined;
  retryAfter: string | undefined;
}

export function createSiteClient({
  allowPrivate,
  userAgent,
  pace,
  isExempt = () => false,
  own,
  resolve = resolveBySystem,
  times: changedTimes,
  clock = systemClock,
}: SiteClientOptions): SiteClient {
  const times = { ...TIMES, ...changedTimes };
  const policy = new SitePolicy(allowPrivate, own);
  const agentOptions = { keepAlive: true, maxSockets: pace.concurrency, timeout: IDLE_TIMEOUT_MS };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  const closing = new AbortController();
  const paces = new Map<string, HostPace>();
  let hasStopped = false;
  let receivedBytes = 0;
  /** Bytes received over each connection by the end of its last response. */
  const counted = new WeakMap<Socket, number>();

  function paceOf({ origin }: URL): HostPace {
    const known = paces.get(origin) ?? new HostPace(clock, pace);
    paces.set(origin, known);
    return known;
  }

  /** Sends one request and reads its response, whatever its status. */
  async function send(url: URL, request: SiteFetch, signal: AbortSignal): Promise<RawResponse> {
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
    const agent = url.protocol === 'https:' ? httpsAgent : httpAgent;
    const lookup = createGuardedLookup(url, policy.for(url), resolve);
    return await sendHttpRequest(
      url,
      { method, headers, agent, lookup, connectMs: times.connect, signal },
      async (response) => {
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
          receivedBytes += socket.bytesRead - (counted.get(socket) ?? 0);
          counted.set(socket, socket.bytesRead);
        }
      },
    );
  }

  /** Sends a request when it is the host's turn, and again while the host is too busy. */
  async function ask(url: URL, request: SiteFetch, time: TimeLimit): Promise<RawResponse> {
    const { signal, optional } = request;
    policy.check(url);
    const host = paceOf(url);
    for (let tries = 1; ; tries += 1) {
      const turn = await host.turn(signal, tries > 1);
      try {
        const answer = await time.during(signal, (limited) => send(url, request, limited));
        const { status, retryAfter } = answer;
        if (BUSY_STATUSES.has(status)) {
          const givesUp = !optional && tries === MAX_ATTEMPTS;
          host.busy(turn, { status, waitMs: retryAfterMs(retryAfter, clock.now()), givesUp });
          if (!optional && !givesUp) continue;
        } else host.answered();
        return answer;
      } catch (error) {
        if (!signal.aborted && !isRefusal(error)) host.failed(turn, describeNetworkError(error));
        throw error;
      } finally {
        hasStopped ||= host.isStopped;
        turn.end();
      }
    }
  }

  async function follow(start: URL, request: SiteFetch, keepsRobots: boolean): Promise<SiteResponse> {
    const { maxRedirects = MAX_REDIRECTS, signal } = request;
    const time = new TimeLimit(times.fetch, clock);
    const passed = new Set<string>();
    for (let url = start; ; ) {
      url.hash = '';
      if (passed.has(url.href)) throw new UpstreamError('redirects that lead back to where they began');
      if (passed.size > maxRedirects) throw new UpstreamError(`more than ${maxRedirects} redirects`);
      if (keepsRobots && !isExempt(url)) {
        const robots = await unlessAborted(robotsOf(url), signal);
        if (!robots.allows(pathOf(url))) throw new RobotsForbidden(url.href);
      }
      const { location, retryAfter: _, ...answer } = await ask(url, request, time);
      if (!REDIRECTS.has(answer.status)) return { ...answer, finalUrl: url.href, redirects: passed.size };
      passed.add(url.href);
      url = redirected(url, location);
    }
  }

  async function fetch(request: SiteFetch, { wanted, keepsRobots }: Purpose): Promise<SiteResponse> {
    const signal = AbortSignal.any([request.signal, closing.signal]);
    try {
      return await follow(parseUrl(request.url, 'url', MAX_ADDRESS_LENGTH), { ...request, signal }, keepsRobots);
    } catch (error) {
      signal.throwIfAborted();
      throw failureFor(error, 'url', describeNetworkError(error), failed(wanted));
    }
  }

  const robotsFiles = new RobotsFiles(clock, async (url) => {
    const answer = await fetch(
      {
        url: url.href,
        accept: 'text/plain,*/*;q=0.1',
        maxBytes: ROBOTS_BYTES,
        truncates: true,
        signal: closing.signal,
      },
      { wanted: ROBOTS, keepsRobots: false },
    );
    if (answer.status >= 500 || BUSY_STATUSES.has(answer.status)) throw failed(ROBOTS)(`status ${answer.status}`);
    return answer.data;
  });

  async function robotsOf(url: URL): Promise<Robots> {
    try {
      const robots = await robotsFiles.of(url);
      if (isExempt(url)) return { ...robots, allows: () => true };
      paceOf(url).delayAtLeast(robots.crawlDelayMs);
      return robots;
    } catch (error) {
      closing.signal.throwIfAborted();
      if (isExempt(url)) return { allows: () => true, crawlDelayMs: 0, sitemaps: [], size: 0 };
      throw failureFor(error, 'url', describeNetworkError(error), failed(ROBOTS));
    }
  }

  return {
    fetch: (request) => fetch(request, { wanted: 'an answer', keepsRobots: true }),

    get hasStopped() {
      return hasStopped;
    },

    takeReceivedBytes() {
      const taken = receivedBytes;
      receivedBytes = 0;
      return taken;
    },

    async robots(address, signal) {
      const url = parseUrl(address, 'url');
      const robots = await unlessAborted(robotsOf(url), signal);
      return {
        allows: (other) => URL.canParse(other) && robots.allows(pathOf(new URL(other))),
        // A getter: few callers need them, and there may be tens of thousands.
        get sitemaps() {
          return robots.sitemaps
            .filter((sitemap) => URL.canParse(sitemap, url))
            .map((sitemap) => new URL(sitemap, url).href);
        },
      };
    },

    close() {
      closing.abort(failed('an answer')('the end of the scan'));
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

/** True for errors that are not the host's fault: a rule of ours, or a file that is too large. */
function isRefusal(error: unknown): boolean {
  return error instanceof Failure || error instanceof ConnectionRefused;
}

const failed = (wanted: string) => (received: string, cause?: unknown) => urlFetchFailed(received, cause, wanted);

const ROBOTS = 'a robots.txt that can be read';

/** The path with the query, which the patterns of robots.txt match. */
function pathOf(url: URL): string {
  url.hash = '';
  return url.href.slice(url.origin.length);
}

/** Waits for work that is shared with other callers. An abort ends only the waiting. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
