/** Fetches the files of a website for a scan (docs/spec/shapes.md, sections 16.7 and 16.8). */
import { Failure } from '../../../base/failure.ts';

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

/** 422: robots.txt forbids an address, or one that it was redirected to. */
export class RobotsForbidden extends Failure {
  readonly finalUrl: string;

  constructor(finalUrl: string) {
    const message = 'Expected an address that robots.txt allows for url but received another one.';
    super('url_fetch_failed', message, { param: 'url' });
    this.finalUrl = finalUrl;
  }
}
