/** Fetches politely, safely and within limits. All fetches of a scan share its connections and the pace per host. */

import { type Clock, systemClock } from '../../../base/clock.ts';
import { Failure } from '../../../base/failure.ts';
import { describeNetworkError, REDIRECTS, timeoutMessage, UpstreamError } from '../../../base/http-request.ts';
import { MAX_ADDRESS_LENGTH } from '../../../web-documents/address.ts';
import { ConnectionRefused, type Resolve, resolveBySystem } from '../../http/connector.ts';
import { failureFor, urlFetchFailed } from '../../http/outgoing-errors.ts';
import { parseUrl, redirected } from '../../http/web-address.ts';
import { HostPace } from './pace.ts';
import { ROBOTS_BYTES, type Robots } from './robots.ts';
import { RobotsFiles } from './robots-files.ts';
import { RobotsForbidden, type SiteClient, type SiteFetch, type SiteResponse, type SiteRobots } from './site-client.ts';
import { type RawResponse, SiteConnections } from './site-connections.ts';
import { type OwnService, SitePolicy } from './site-policy.ts';

interface SitePace {
  /** Maximum simultaneous connections to one host. */
  concurrency: number;
  /** Milliseconds between the starts of two requests to one host. */
  delayMs: number;
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

/** What a fetch is for. */
interface Purpose {
  wanted: string;
  /** Check robots.txt for each address. */
  keepsRobots: boolean;
}

const NEVER = () => false;

export class HttpSiteClient implements SiteClient {
  readonly #policy: SitePolicy;
  readonly #connections: SiteConnections;
  readonly #pace: SitePace;
  readonly #isExempt: (url: URL) => boolean;
  readonly #fetchMs: number;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #paces = new Map<string, HostPace>();
  readonly #robotsFiles: RobotsFiles;
  #hasStopped = false;

  constructor({ allowPrivate, userAgent, pace, own, times: changedTimes, ...options }: SiteClientOptions) {
    const times = { ...TIMES, ...changedTimes };
    this.#policy = new SitePolicy(allowPrivate, own);
    this.#connections = new SiteConnections({
      concurrency: pace.concurrency,
      userAgent,
      policy: this.#policy,
      resolve: options.resolve ?? resolveBySystem,
      connectMs: times.connect,
    });
    this.#pace = pace;
    this.#isExempt = options.isExempt ?? NEVER;
    this.#fetchMs = times.fetch;
    this.#clock = options.clock ?? systemClock;
    this.#robotsFiles = new RobotsFiles(this.#clock, (url) => this.#readRobots(url));
  }

  async fetch(request: SiteFetch): Promise<SiteResponse> {
    return await this.#fetch(request, { wanted: 'an answer', keepsRobots: true });
  }

  async robots(address: string, signal: AbortSignal): Promise<SiteRobots> {
    const url = parseUrl(address, 'url');
    const robots = await unlessAborted(this.#robotsOf(url), signal);
    return {
      allows: (other) => URL.canParse(other) && robots.allows(pathOf(new URL(other))),
      // A getter: few callers need them, and there may be tens of thousands.
      get sitemaps() {
        return robots.sitemaps
          .filter((sitemap) => URL.canParse(sitemap, url))
          .map((sitemap) => new URL(sitemap, url).href);
      },
    };
  }

  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  takeReceivedBytes(): number {
    return this.#connections.takeReceivedBytes();
  }

  close(): void {
    this.#closing.abort(failed('an answer')('the end of the scan'));
    this.#connections.close();
  }

  async #fetch(request: SiteFetch, { wanted, keepsRobots }: Purpose): Promise<SiteResponse> {
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    try {
      const url = parseUrl(request.url, 'url', MAX_ADDRESS_LENGTH);
      return await this.#follow(url, { ...request, signal }, keepsRobots);
    } catch (error) {
      signal.throwIfAborted();
      throw failureFor(error, 'url', describeNetworkError(error), failed(wanted));
    }
  }

  async #follow(start: URL, request: SiteFetch, keepsRobots: boolean): Promise<SiteResponse> {
    const { maxRedirects = MAX_REDIRECTS, signal } = request;
    const time = new TimeLimit(this.#fetchMs, this.#clock);
    const passed = new Set<string>();
    for (let url = start; ; ) {
      url.hash = '';
      if (passed.has(url.href)) throw new UpstreamError('redirects that lead back to where they began');
      if (passed.size > maxRedirects) throw new UpstreamError(`more than ${maxRedirects} redirects`);
      if (keepsRobots && !this.#isExempt(url)) {
        const robots = await unlessAborted(this.#robotsOf(url), signal);
        if (!robots.allows(pathOf(url))) throw new RobotsForbidden(url.href);
      }
      const { location, retryAfter: _, ...answer } = await this.#ask(url, request, time);
      if (!REDIRECTS.has(answer.status)) return { ...answer, finalUrl: url.href, redirects: passed.size };
      passed.add(url.href);
      url = redirected(url, location);
    }
  }

  /** Sends a request when it is the host's turn, and again while the host is too busy. */
  async #ask(url: URL, request: SiteFetch, time: TimeLimit): Promise<RawResponse> {
    const { signal, optional } = request;
    this.#policy.check(url);
    const host = this.#paceOf(url);
    for (let tries = 1; ; tries += 1) {
      const turn = await host.turn(signal, tries > 1);
      try {
        const answer = await time.during(signal, (limited) => this.#connections.send(url, request, limited));
        const { status, retryAfter } = answer;
        if (BUSY_STATUSES.has(status)) {
          const givesUp = !optional && tries === MAX_ATTEMPTS;
          host.busy(turn, { status, waitMs: retryAfterMs(retryAfter, this.#clock.now()), givesUp });
          if (!optional && !givesUp) continue;
        } else host.answered();
        return answer;
      } catch (error) {
        if (!signal.aborted && !isRefusal(error)) host.failed(turn, describeNetworkError(error));
        throw error;
      } finally {
        this.#hasStopped ||= host.isStopped;
        turn.end();
      }
    }
  }

  #paceOf({ origin }: URL): HostPace {
    const known = this.#paces.get(origin) ?? new HostPace(this.#clock, this.#pace);
    this.#paces.set(origin, known);
    return known;
  }

  async #robotsOf(url: URL): Promise<Robots> {
    try {
      const robots = await this.#robotsFiles.of(url);
      if (this.#isExempt(url)) return { ...robots, allows: () => true };
      this.#paceOf(url).delayAtLeast(robots.crawlDelayMs);
      return robots;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (this.#isExempt(url)) return { allows: () => true, crawlDelayMs: 0, sitemaps: [], size: 0 };
      throw failureFor(error, 'url', describeNetworkError(error), failed(ROBOTS));
    }
  }

  async #readRobots(url: URL): Promise<ArrayBuffer> {
    const answer = await this.#fetch(
      {
        url: url.href,
        accept: 'text/plain,*/*;q=0.1',
        maxBytes: ROBOTS_BYTES,
        truncates: true,
        signal: this.#closing.signal,
      },
      { wanted: ROBOTS, keepsRobots: false },
    );
    if (answer.status >= 500 || BUSY_STATUSES.has(answer.status)) throw failed(ROBOTS)(`status ${answer.status}`);
    return answer.data;
  }
}

/** True for errors that are not the host's fault: a rule of ours, or a file that is too large. */
const isRefusal = (error: unknown): boolean => error instanceof Failure || error instanceof ConnectionRefused;

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

const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 5000;

/**
 * How long to wait before asking a host again, by its `Retry-After` header: seconds or a date (RFC 9110, section
 * 10.2.3).
 * @param now milliseconds since 1970
 * @returns milliseconds, at most a minute; 5 s when the header is missing or invalid
 */
function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? DEFAULT_WAIT_MS : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}

/** The time that a fetch may take. It is used up in pieces: waiting for turns is not counted. */
class TimeLimit {
  readonly #milliseconds: number;
  readonly #clock: Clock;
  #left: number;

  constructor(milliseconds: number, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#left = milliseconds;
    this.#clock = clock;
  }

  /** @throws UpstreamError when the time is over; what `work` throws */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const started = this.#clock.now();
    const cancel = this.#clock.after(Math.max(this.#left, 0), () => over.abort());
    try {
      return await work(AbortSignal.any([signal, over.signal]));
    } catch (error) {
      throw over.signal.aborted ? new UpstreamError(timeoutMessage(this.#milliseconds)) : error;
    } finally {
      cancel();
      this.#left -= this.#clock.now() - started;
    }
  }
}
