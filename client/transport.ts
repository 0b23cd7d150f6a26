/** Sends a request with its key, and retries it if that is safe and useful. Also runs in browsers. */
import { errorOf, ImagecrewError } from './errors.ts';
import { backOffMs, isWorthRepeating, pause } from './retry.ts';

export interface TransportOptions {
  /** `ic_live_…` or `ic_test_…`. Without a key, only public endpoints can be used. */
  key?: string | undefined;
  /** URL of the service, without a trailing slash. */
  baseUrl: string;
  /** Maximum number of retries, which are only made if safe. Default: 2. */
  retries?: number | undefined;
  /** Milliseconds from sending a request to the start of its response, per attempt. Default: no limit. */
  timeoutMs?: number | undefined;
  fetch?: typeof fetch | undefined;
  /** Waits between two attempts. Tests can replace it. */
  pause?: typeof pause | undefined;
}

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Undefined values are omitted. */
  query?: object | undefined;
  body?: RequestInit['body'] | undefined;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /**
   * Whether repeating the request has no further effect, so that
   * it is retried after a lost connection. Default: true for GET.
   */
  idempotent?: boolean;
  /** An additional status that counts as success. */
  accepts?: number;
}

const RETRIES = 2;

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * Sends a request.
   * @param path with a leading slash, such as `/api/v1/usage`
   * @throws ImagecrewError for an error response; what fetch
   *   throws if there is no response; TimeoutError; the reason of `signal`
   */
  async send(path: string, call: Call = {}): Promise<Response> {
    const { retries = RETRIES } = this.#options;
    const { signal, idempotent = (call.method ?? 'GET') === 'GET' } = call;
    const upload = call.body instanceof ReadableStream ? uploadOf(call.body) : undefined;
    const body = upload?.stream ?? call.body;
    // A stream can be read only once.
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
        // Node requires this for streams. It returns the response after all is sent.
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

/** A stream that is being sent and can be released. */
interface Upload {
  stream: ReadableStream<Uint8Array>;
  /** Cancels the source, and with it the file or connection that it reads. */
  release(reason: unknown): void;
}

/** Wraps a source so that it can be released. fetch does not do so: Node reads an abandoned source to its end. */
function uploadOf(source: ReadableStream<Uint8Array>): Upload {
  const reader = source.getReader();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull() {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const release = (reason: unknown) => {
    controller.error(reason);
    // Rejects if the source itself has failed.
    reader.cancel(reason).catch(() => {});
  };
  return { stream, release };
}
