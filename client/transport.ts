/** One request, with its key, sent again where that is safe and makes sense. Runs in browsers too. */
import { errorOf, ImagecrewError } from './errors.ts';
import { backOffMs, isWorthRepeating, pause } from './retry.ts';
import { uploadOf } from './upload.ts';

export interface TransportOptions {
  /** `ic_live_…` or `ic_test_…`; without one only what is open to all can be asked for. */
  key?: string | undefined;
  /** Of the service, without a slash at its end. */
  baseUrl: string;
  /** How often a request is sent again; only where that is safe. Default: 2. */
  retries?: number | undefined;
  /** Milliseconds from sending a request to the beginning of its answer, of each attempt. Default: as long as it takes. */
  timeoutMs?: number | undefined;
  fetch?: typeof fetch | undefined;
  /** Waits between two attempts; tests need not. */
  pause?: typeof pause | undefined;
}

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Left out where undefined. */
  query?: object | undefined;
  body?: BodyInit | null | undefined;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Doing it twice does no more than doing it once, so it is sent again when the connection was lost. Default: GET is. */
  idempotent?: boolean;
  /** A status that is an answer too. */
  accepts?: number;
}

const RETRIES = 2;

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * @param path with its slash, as `/api/v1/usage`
   * @throws ImagecrewError where the answer is none of success; what fetch throws where there is no answer;
   * TimeoutError; the reason of `signal`
   */
  async send(path: string, call: Call = {}): Promise<Response> {
    const { retries = RETRIES } = this.#options;
    const { signal, idempotent = (call.method ?? 'GET') === 'GET' } = call;
    const upload = call.body instanceof ReadableStream ? uploadOf(call.body) : undefined;
    const body = upload?.stream ?? call.body;
    // A stream can be read once.
    const attempts = upload ? 0 : retries;
    for (let attempt = 0; ; attempt++) {
      let wait = backOffMs(attempt);
      try {
        const response = await this.#request(path, { ...call, body });
        if (response.ok || response.status === call.accepts) return response;
        throw await errorOf(response);
      } catch (error) {
        upload?.release(error);
        if (attempt >= attempts || signal?.aborted) throw error;
        if (error instanceof ImagecrewError) {
          if (!isWorthRepeating(error, idempotent)) throw error;
          if (error.retryAfter !== undefined) wait = error.retryAfter * 1000;
        } else if (!idempotent || !(error instanceof TypeError)) throw error;
      }
      await this.pause(wait, signal);
    }
  }

  async json<T>(path: string, call: Call = {}): Promise<T> {
    return (await (await this.send(path, call)).json()) as T;
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return (this.#options.pause ?? pause)(ms, signal);
  }

  async #request(path: string, { method = 'GET', query = {}, body = null, headers, signal }: Call): Promise<Response> {
    const { key, baseUrl, timeoutMs, fetch: send = globalThis.fetch } = this.#options;
    const timeout = new AbortController();
    const late = () => timeout.abort(new DOMException(`No answer within ${timeoutMs} ms.`, 'TimeoutError'));
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
    try {
      return await send(`${baseUrl}${path}${queryText(query)}`, {
        method,
        headers: { ...headers, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
        body,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        // Node sends a stream only so; its answer comes when all is sent.
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

export function queryText(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}
