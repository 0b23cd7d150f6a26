import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  /** Time on the clock of the test. */
  at: number;
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that receives webhooks. */
export class Receiver {
  readonly received: Received[] = [];
  /** Maximum number of connections that were open at the same time. */
  mostAtOnce = 0;
  /** Answers a request whose body was read. */
  answer: RequestListener;
  readonly #now: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => {
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#sockets.size);
    buffer(request).then(
      (body) => {
        const { method, url: path, headers } = request;
        this.received.push({ at: this.#now(), method, path, headers, body: body.toString() });
        this.answer(request, response);
        this.#changed();
      },
      () => {},
    );
  });
  #changed: () => void = () => {};

  constructor(now: () => number, answer: RequestListener) {
    this.#now = now;
    this.answer = answer;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#changed();
      });
    });
  }

  async open(host = '127.0.0.1', port = 0): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when `count` requests have been received since the start. */
  async requests(count: number): Promise<void> {
    while (this.received.length < count) await this.#change();
  }

  /** Resolves when all connections are closed. */
  async left(): Promise<void> {
    while (this.#sockets.size > 0) await this.#change();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#changed = resolve;
    });
  }
}
