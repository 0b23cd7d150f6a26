/**
 * How a scan fetches what a website offers: politely, safely and bounded. The fetches of one scan share its connections and
 * the pace that each host is given (spec/shapes.md, sections 16.7 and 16.8).
 */
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Clock, systemClock } from '../../clock.ts';
import { guardedLookup, type Resolve, resolveBySystem } from '../../http/connector.ts';
import { AnswerFault, exchange, headerOf, networkFault, REDIRECTS } from '../../http/exchange.ts';
import { failureFor, urlFetchFailed } from '../../http/outgoing-errors.ts';
import { parseUrl, redirected } from '../../http/web-address.ts';
import { type Body, readBody, readStart, skipBody } from './answer.ts';
import { HostPace } from './pace.ts';
import { retryAfterMs } from './retry-after.ts';
import { ROBOTS_BYTES, type Robots } from './robots.ts';
import { RobotsFiles } from './robots-files.ts';
import { type OwnService, SitePolicy } from './site-policy.ts';
import { TimeLimit } from './time-limit.ts';

export interface SiteFetch {
  url: string;
  /** Of the `Accept` header. */
  accept: string;
  /** Most bytes of the body, packed and unpacked. */
  maxBytes: number;
  method?: 'GET' | 'HEAD';
  maxRedirects?: number;
  /**
   * What an earlier scan has seen where the redirects ended: sent there, and nowhere else, as If-None-Match and
   * If-Modified-Since. The status 304 says that nothing has changed.
   */
  known?: { finalUrl: string | null; etag: string | null; lastModified: string | null };
  signal: AbortSignal;
}

/** An answer, whatever its status. */
export interface SiteAnswer {
  status: number;
  /** Where the redirects ended. */
  finalUrl: string;
  redirects: number;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  cacheControl: string | undefined;
  etag: string | undefined;
  lastModified: string | undefined;
  vary: string | undefined;
  /** Without content coding, in a buffer of its size, so that it can be transferred; empty for HEAD, 304 and errors. */
  data: ArrayBuffer;
  /** That came over the network. */
  receivedBytes: number;
}

export interface SiteClient {
  /**
   * Fetches when it is the host's turn. 429 and 503 are waited for and tried again, three times in all; then the host is
   * not asked any more.
   * @throws Failure `invalid_url`, `url_not_allowed`, `file_too_large` or `url_fetch_failed`; the reason of the signal
   */
  fetch(request: SiteFetch): Promise<SiteAnswer>;
  /**
   * What robots.txt of the address's host says. It is read once per scheme, host and port.
   * @throws Failure `url_fetch_failed` when the host's robots.txt cannot be read: then nothing of it may be
   */
  robots(url: string, signal: AbortSignal): Promise<SiteRobots>;
  /** Ends its connections. */
  close(): void;
}

export interface SiteRobots {
  allows(url: string): boolean;
  /** Absolute addresses of its `Sitemap` lines. */
  readonly sitemaps: readonly string[];
}

export interface SitePace {
  /** Connections at a time, to one host. */
  concurrency: number;
  /** Milliseconds between the starts of two requests to one host. */
  delayMs: number;
  respectRobots: boolean;
}

/** All in milliseconds. */
export interface SiteTimes {
  /** Look-up of the name and connection. */
  connect: number;
  /** A fetch with all its redirects, to the last byte; waiting for turns is not counted. */
  fetch: number;
}

export interface SiteClientOptions {
  /** CIDR blocks that may be reached although private, on any port. */
  allowPrivate: readonly string[];
  userAgent: string;
  pace: SitePace;
  /** Where this service is reached: not fetched from, unless `allowPrivate` holds it. */
  own?: OwnService;
  /** Default: the system's resolver. */
  resolve?: Resolve;
  times?: Partial<SiteTimes>;
  clock?: Clock;
}

const TIMES: SiteTimes = { connect: 10_000, fetch: 30_000 };
const MAX_REDIRECTS = 5;
/** What a host says when it is asked too often. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const TRIES = 3;
/** After which a connection that waits for its next request is closed. */
const IDLE_MS = 10_000;

/** How the body of an answer of status 200 is read. */
type Read = (response: IncomingMessage, maxBytes: number) => Promise<Body>;

interface Answer extends Omit<SiteAnswer, 'finalUrl' | 'redirects'> {
  location: string | undefined;
  retryAfter: string | undefined;
}

export function createSiteClient({
  allowPrivate,
  userAgent,
  pace,
  own,
  resolve = resolveBySystem,
  times: changedTimes,
  clock = systemClock,
}: SiteClientOptions): SiteClient {
  const times = { ...TIMES, ...changedTimes };
  const policy = new SitePolicy(allowPrivate, own);
  const agentOptions = { keepAlive: true, maxSockets: pace.concurrency, timeout: IDLE_MS };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  const closing = new AbortController();
  const paces = new Map<string, HostPace>();

  function paceOf({ origin }: URL): HostPace {
    const known = paces.get(origin) ?? new HostPace(clock, pace);
    paces.set(origin, known);
    return known;
  }

  /** One request and its answer, whatever its status. */
  async function send(url: URL, request: SiteFetch, signal: AbortSignal, read: Read): Promise<Answer> {
    const { method = 'GET', accept, maxBytes } = request;
    const known = request.known?.finalUrl === url.href ? request.known : undefined;
    const headers = {
      'user-agent': userAgent,
      accept,
      'accept-encoding': 'gzip, br',
      ...(known?.etag && { 'if-none-match': known.etag }),
      ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
    };
    const agent = url.protocol === 'https:' ? httpsAgent : httpAgent;
    const lookup = guardedLookup(url, policy.for(url), resolve);
    return await exchange(
      url,
      { method, headers, agent, lookup, connectMs: times.connect, signal },
      async (response) => {
        const { statusCode: status = 0 } = response;
        const body = await (status === 200 && method === 'GET' ? read(response, maxBytes) : skipBody(response, method));
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
      },
    );
  }

  /** Sends a request when it is the host's turn, and again while the host is too busy. */
  async function ask(url: URL, request: SiteFetch, time: TimeLimit, read: Read): Promise<Answer> {
    const { signal } = request;
    policy.check(url);
    const host = paceOf(url);
    for (let tries = 1; ; tries += 1) {
      const turn = await host.turn(signal, tries > 1);
      try {
        const answer = await time.during(signal, (limited) => send(url, request, limited, read));
        if (!BUSY.has(answer.status)) return answer;
        const told = `status ${answer.status} three times, so that its host is not asked any more`;
        if (tries === TRIES) host.stop(told);
        if (tries === TRIES) throw new AnswerFault(told);
        host.busy(turn, retryAfterMs(answer.retryAfter, clock.now()));
      } finally {
        turn.end();
      }
    }
  }

  async function follow(start: URL, request: SiteFetch, read: Read): Promise<SiteAnswer> {
    const { maxRedirects = MAX_REDIRECTS } = request;
    const time = new TimeLimit(times.fetch, clock);
    const passed = new Set<string>();
    for (let url = start; ; ) {
      url.hash = '';
      if (passed.has(url.href)) throw new AnswerFault('redirects that lead back to where they began');
      if (passed.size > maxRedirects) throw new AnswerFault(`more than ${maxRedirects} redirects`);
      const { location, retryAfter: _, ...answer } = await ask(url, request, time, read);
      if (!REDIRECTS.has(answer.status)) return { ...answer, finalUrl: url.href, redirects: passed.size };
      passed.add(url.href);
      url = redirected(url, location);
    }
  }

  async function fetch(request: SiteFetch, read: Read, wanted: string): Promise<SiteAnswer> {
    const signal = AbortSignal.any([request.signal, closing.signal]);
    try {
      return await follow(parseUrl(request.url, 'url'), { ...request, signal }, read);
    } catch (error) {
      signal.throwIfAborted();
      throw failureFor(error, 'url', networkFault(error), failed(wanted));
    }
  }

  const robotsFiles = new RobotsFiles(clock, async (url) => {
    const request = { url: url.href, accept: 'text/plain,*/*;q=0.1', maxBytes: ROBOTS_BYTES, signal: closing.signal };
    const answer = await fetch(request, readStart, ROBOTS);
    if (answer.status >= 500) throw failed(ROBOTS)(`status ${answer.status}`);
    return answer.data;
  });

  async function robotsOf(url: URL): Promise<Robots> {
    try {
      const robots = await robotsFiles.of(url);
      if (!pace.respectRobots) return { ...robots, allows: () => true };
      paceOf(url).delayAtLeast(robots.crawlDelayMs);
      return robots;
    } catch (error) {
      closing.signal.throwIfAborted();
      if (!pace.respectRobots) return { allows: () => true, crawlDelayMs: 0, sitemaps: [], size: 0 };
      throw failureFor(error, 'url', networkFault(error), failed(ROBOTS));
    }
  }

  return {
    fetch: (request) => fetch(request, readBody, 'an answer'),

    async robots(address, signal) {
      const url = parseUrl(address, 'url');
      const robots = await unlessAborted(robotsOf(url), signal);
      return {
        allows: (other) => URL.canParse(other) && robots.allows(pathOf(new URL(other))),
        // Few ask for them, and there may be tens of thousands.
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

const failed = (wanted: string) => (received: string, cause?: unknown) => urlFetchFailed(received, cause, wanted);

const ROBOTS = 'a robots.txt that can be read';

/** The path with the query: what the patterns of robots.txt are about. */
function pathOf(url: URL): string {
  url.hash = '';
  return url.href.slice(url.origin.length);
}

/** Waits for work that others wait for too. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
