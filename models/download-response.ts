/**
 * Sends one GET for the file of a model, from its start or from where an earlier one ended. All bytes are checked
 * later, by a checksum. Uses Node's own client, because the client of undici 7 ends the process if a server closes the
 * connection while the disk is slower than the network (https://github.com/nodejs/undici/issues/5360).
 */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Failure } from '../base/failure.ts';
import { errorCode } from './errors.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** RFC 9110, 8.8.3, without the characters that a response may contain but a request must not repeat. */
const STRONG_ETAG = /^"[\x21\x23-\x7e]*"$/;

export interface DownloadRequest {
  address: string;
  /** Number of bytes already received. */
  from: number;
  /** ETag of the response that these bytes are from. */
  etag: string | undefined;
  /** Maximum time without a byte, in milliseconds. Also applies to connecting. */
  stallMs: number;
  signal: AbortSignal | undefined;
  /** Creates the failure for what was received instead of the file. */
  fail: (received: string, cause?: unknown) => Failure;
}

export interface DownloadResponse {
  /** Offset of the bytes in the file: 0 or `from`. */
  start: number;
  /** Size of the whole file, if the response gives it. */
  total: number | undefined;
  /** Only a strong ETag, which guarantees that every byte is the same. */
  etag: string | undefined;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Sends the request and follows redirects, because most release URLs redirect to separate file storage.
 * @param read must read all that it needs of the response, because the connection is closed afterwards
 * @returns what `read` returned; undefined if the server cannot continue the file
 * @throws the result of `fail`; the reason of the signal
 */
export async function request<T>(
  query: DownloadRequest,
  read: (answer: DownloadResponse) => Promise<T>,
): Promise<T | undefined> {
  let url = new URL(query.address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const { next, result } = await call(url, query, async (response, chunks) => {
      if (REDIRECTS.has(response.statusCode)) return { next: target(url, response, query) };
      const answer = parseResponse(response, query);
      return { result: answer && (await read({ ...answer, chunks })) };
    });
    if (!next) return result;
    url = next;
  }
  throw query.fail(`more than ${MAX_REDIRECTS} redirects`);
}

interface CallResult<T> {
  next?: URL;
  result?: T | undefined;
}

/** Sends one request. Closes the connection when `read` is done. */
async function call<T>(
  url: URL,
  { from, etag, stallMs, signal, fail }: DownloadRequest,
  read: (response: IncomingMessage, chunks: AsyncIterable<Uint8Array>) => Promise<CallResult<T>>,
): Promise<CallResult<T>> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'Imagecrew' };
  if (from > 0) headers.range = `bytes=${from}-`;
  if (from > 0 && etag !== undefined) headers['if-range'] = etag;
  const sent = (url.protocol === 'https:' ? https : http).get(url, { headers, agent: false, timeout: stallMs });
  const stop = () => sent.destroy();
  signal?.addEventListener('abort', stop);
  let isSilent = false;
  sent.on('timeout', () => {
    isSilent = true;
    sent.destroy();
  });
  // Errors after the start of the response are reported by its body.
  sent.on('error', () => {});
  const explain = (error: unknown): never => {
    signal?.throwIfAborted();
    throw fail(isSilent ? `nothing for ${stallMs / 1000} seconds` : networkFault(error), error);
  };
  try {
    signal?.throwIfAborted();
    const [response] = (await once(sent, 'response').catch(explain)) as [IncomingMessage];
    return await read(response, chunksOf(response, explain));
  } finally {
    signal?.removeEventListener('abort', stop);
    sent.destroy();
  }
}

/**
 * Yields the chunks of a body. Converts its errors with `explain`, so that errors of writing the chunks stay distinct.
 */
async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => never,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await chunks.next().catch(explain);
    if (done) return;
    yield value;
  }
}

function target(from: URL, { headers: { location } }: IncomingMessage, { fail }: DownloadRequest): URL {
  if (location === undefined || !URL.canParse(location, from)) throw fail('a redirect to nowhere');
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fail('a redirect to no address of http or https');
  return url;
}

/** Checks a response. Returns undefined if the server does not continue at the requested offset. */
function parseResponse(
  { statusCode, headers }: IncomingMessage,
  { from, fail }: DownloadRequest,
): Omit<DownloadResponse, 'chunks'> | undefined {
  const isRest = from > 0 && statusCode === 206;
  if (from > 0 && statusCode === 416) return undefined;
  if (statusCode !== 200 && !isRest) throw fail(`status ${statusCode}`);
  // The page of a captive portal or a proxy must not replace the bytes of the file received so far.
  if (headers['content-type']?.startsWith('text/html')) throw fail('a web page');
  if (isRest) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
    return Number(start) === from ? { start: from, total: Number(total), etag: undefined } : undefined;
  }
  const { 'content-length': length, etag } = headers;
  return {
    start: 0,
    total: length === undefined ? undefined : Number(length),
    etag: etag !== undefined && STRONG_ETAG.test(etag) ? etag : undefined,
  };
}

function networkFault(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no address for its host name';
  return `a connection that failed${code === undefined ? '' : ` (${code})`}`;
}
