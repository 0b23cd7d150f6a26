/**
 * Sends requests to the store: signed, retried, within time limits. The signatures (AWS Signature Version 4) are those of
 * aws4fetch. The operator has chosen the host, so it may be private, unlike that of an address from a user.
 */
import { lookup } from 'node:dns';
import { Agent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import {
  type HttpRequestOptions,
  headerOf,
  openHttpResponse,
  timeoutMessage,
  UpstreamError,
} from '../../base/http-request.ts';
import { sha256 } from '../../base/sha256.ts';
import { isMissing, isTemporary, lastError, S3Error } from './errors.ts';
import type { S3Settings } from './settings.ts';
import { elementsOf } from './xml.ts';

const CONNECT_MS = 5000;
/** For an attempt: at most 8 MiB are sent, and short answers received. */
const ATTEMPT_MS = 60_000;
const MAX_ATTEMPTS = 4;
/** No attempt begins later than this after the first: the client of the service is waiting. */
const RETRY_MS = 10_000;
/** The first wait, which doubles; a random part of it is waited, so that many requests do not return together. */
const FIRST_WAIT_MS = 100;

/** Answers that are read into memory: a list of 1,000 keys has 400 kB. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20;

/** Idle connections are kept for this many requests at a time; more connections are opened as needed. */
const KEPT_CONNECTIONS = 32;

export interface S3Request {
  method: HttpRequestOptions['method'];
  /** Key of an object, below the prefix of the settings. Without it, the request is about the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

export interface S3Answer {
  headers: IncomingMessage['headers'];
  text: string;
}

export interface S3ClientOptions {
  /** Called with the error of a request whose last attempt has failed, before it is thrown. */
  onFault?(error: unknown): void;
}

export class S3Client {
  readonly settings: S3Settings;
  readonly #agent: Agent;
  readonly #onFault: (error: unknown) => void;
  /** Signing keys, which are valid for a day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings, { onFault = () => {} }: S3ClientOptions = {}) {
    this.settings = settings;
    const options = { keepAlive: true, maxFreeSockets: KEPT_CONNECTIONS, scheduling: 'lifo' } as const;
    this.#agent = settings.bucketUrl.startsWith('https:') ? new HttpsAgent(options) : new Agent(options);
    this.#onFault = onFault;
  }

  /**
   * Sends a request and reads the answer.
   * @throws Failure `overloaded` or `storage_full`; S3Error for everything that trying again does not change
   */
  async send(request: S3Request): Promise<S3Answer> {
    return await this.#withRetries(async () => {
      const response = await this.#open(request, AbortSignal.timeout(ATTEMPT_MS));
      return { headers: response.headers, text: await readText(response) };
    });
  }

  /**
   * Sends a request whose answer is the content of an object. The caller must read it to its end, or destroy it.
   * @throws as {@link send}
   */
  async open(request: S3Request): Promise<IncomingMessage> {
    return await this.#withRetries(async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), ATTEMPT_MS);
      try {
        return await this.#open(request, late.signal);
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** Returns an address with which anybody can read an object for some seconds. @param query such as `response-content-type` */
  async presign(key: string, seconds: number, query: Readonly<Record<string, string>>): Promise<string> {
    const url = this.#urlOf({ key, query: { ...query, 'X-Amz-Expires': String(seconds) } });
    const signed = await this.#signer({ method: 'GET', url, signQuery: true }).sign();
    // A plus sign is a space for most stores, but not for all.
    return signed.url.href.replaceAll('+', '%20');
  }

  async #withRetries<T>(attempt: () => Promise<T>): Promise<T> {
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const pause = Math.random() * FIRST_WAIT_MS * 2 ** attempts;
        const isLate = performance.now() - started + pause > RETRY_MS;
        if (isTemporary(error) && attempts < MAX_ATTEMPTS && !isLate) {
          await wait(pause);
          continue;
        }
        if (!isMissing(error)) this.#onFault(error);
        throw lastError(error);
      }
    }
  }

  /** Signs each attempt by itself, because a signature is valid for a few minutes. */
  async #open(request: S3Request, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, body, headers } = request;
    const url = this.#urlOf(request);
    const hash = await sha256(body ?? new Uint8Array(0));
    const signed = await this.#signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': hash },
    }).sign();
    const options = { method, headers: Object.fromEntries(signed.headers), ...(body && { body }) };
    try {
      const response = await openHttpResponse(signed.url, {
        ...{ ...options, agent: this.#agent, lookup, connectMs: CONNECT_MS, signal },
      });
      // The error of a body reaches who reads it; until then nobody listens.
      response.on('error', () => {});
      if (response.statusCode! < 300) return response;
      throw await errorOf(response, `${method} ${request.key ?? 'the bucket'}`);
    } catch (error) {
      throw signal.aborted ? new UpstreamError(timeoutMessage(ATTEMPT_MS)) : error;
    }
  }

  #urlOf({ key, query = {} }: Pick<S3Request, 'key' | 'query'>): string {
    const { bucketUrl, prefix } = this.settings;
    const url = new URL(key === undefined ? `${bucketUrl}/` : `${bucketUrl}/${prefix}${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  #signer(request: { method: string; url: string; headers?: Record<string, string>; signQuery?: true }): AwsV4Signer {
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.settings;
    return new AwsV4Signer({
      ...request,
      ...{ service: 's3', region, accessKeyId, secretAccessKey, cache: this.#signingKeys },
      ...(sessionToken !== undefined && { sessionToken }),
    });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new UpstreamError('an answer that is too long');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

async function errorOf(response: IncomingMessage, asked: string): Promise<S3Error> {
  const status = response.statusCode!;
  // An answer to HEAD has no body, and a proxy in between may send another one.
  const [error] = elementsOf(await readText(response), 'Error');
  return new S3Error(asked, status, error?.Code, error?.Region ?? headerOf(response, 'x-amz-bucket-region'));
}
