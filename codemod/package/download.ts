/** Downloads the package of a scan from the service. The local server makes no other network request. */
import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { type ErrorCode, expected, Failure, STATUS_BY_CODE } from '../../base/failure.ts';
import { describeNetworkError, headerOf, REDIRECTS, sendHttpRequest } from '../../base/http-request.ts';
import { isObject } from '../../base/object.ts';
import { DOWNLOADS, downloadPath } from '../../replacement-package/layout.ts';
import { packageInvalid } from '../errors.ts';
import { MAX_PACKAGE_BYTES } from './source.ts';

export interface Service {
  baseUrl: string;
  /** API key. */
  key: string | undefined;
}

const CONNECT_MS = 10_000;
/** Timeout without received data. */
const IDLE_MS = 60_000;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 500;

/**
 * Passes the bytes of a package to `take`. A service may redirect once, to where it keeps its files; the key is sent only
 * to the service.
 * @throws Failure `missing_key`, `url_fetch_failed`, `package_invalid` if it is too large, and errors of the service
 */
export async function downloadPackage<T>(
  { baseUrl, key }: Service,
  scanId: string,
  signal: AbortSignal,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (!key) throw new Failure('missing_key', expected('an API key', 'IC_API_KEY', undefined));
  const url = new URL(baseUrl.replace(/\/+$/, '') + downloadPath(encodeURIComponent(scanId), DOWNLOADS.zip));
  let isTaking = false;
  const read = async (response: IncomingMessage) => {
    if (response.statusCode !== 200) throw await refusalOf(response);
    isTaking = true;
    return await take(limited(response));
  };
  const headers = { accept: 'application/zip' };
  try {
    const answer = await request(url, { ...headers, authorization: `Bearer ${key}` }, signal, async (response) => {
      const target = redirectOf(url, response);
      return target ? { target } : { taken: await read(response) };
    });
    return answer.target ? await request(answer.target, headers, signal, read) : answer.taken;
  } catch (error) {
    signal.throwIfAborted();
    // Disk errors are not network errors.
    if (error instanceof Failure || (isTaking && !isNetwork(error))) throw error;
    throw new Failure(
      'url_fetch_failed',
      `Expected the package from the service but received ${describeNetworkError(error)}.`,
      {
        cause: error,
      },
    );
  }
}

async function request<T>(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const connection = { agent: false, lookup: lookup as LookupFunction, connectMs: CONNECT_MS } as const;
  return await sendHttpRequest(url, { method: 'GET', headers, ...connection, signal }, async (response) => {
    response.setTimeout(IDLE_MS, () => response.destroy(new Error('idle')));
    return await read(response);
  });
}

/** Where a response redirects to. What was asked for with TLS is not fetched without. */
function redirectOf(url: URL, response: IncomingMessage): URL | undefined {
  const location = headerOf(response, 'location');
  if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined || !URL.canParse(location, url))
    return undefined;
  const target = new URL(location, url);
  return target.protocol === 'https:' || target.protocol === url.protocol ? target : undefined;
}

function isNetwork(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ECONNRESET' || code.startsWith('HPE_') || (error instanceof Error && error.message === 'idle');
}

async function* limited(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_PACKAGE_BYTES) throw packageInvalid(`more than ${MAX_PACKAGE_BYTES} bytes`);
    yield chunk as Buffer;
  }
}

/** Reads the service's error from the response, if it has one. */
async function refusalOf(response: IncomingMessage): Promise<Failure> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_ERROR_BYTES) break;
  }
  const { code, message } = errorOf(body);
  if (typeof code === 'string' && Object.hasOwn(STATUS_BY_CODE, code) && typeof message === 'string') {
    return new Failure(code as ErrorCode, message.slice(0, MAX_MESSAGE_LENGTH));
  }
  return new Failure(
    'url_fetch_failed',
    `Expected the package from the service but received status ${response.statusCode ?? 0}.`,
  );
}

function errorOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && isObject(value.error) ? value.error : {};
  } catch {
    return {};
  }
}
