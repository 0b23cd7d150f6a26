/** A transport for the SDK's server that carries one request and its response. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from '@modelcontextprotocol/server';

export class SingleRequestTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #request: JSONRPCRequest;
  readonly #notify: (message: JSONRPCMessage) => void;
  /** The response; undefined if the call ended without one. */
  readonly answer: Promise<JSONRPCMessage | undefined>;
  #resolve: (answer: JSONRPCMessage | undefined) => void = () => {};

  /** @param notify receives the notifications that the server sends before its response */
  constructor(request: JSONRPCRequest, notify: (message: JSONRPCMessage) => void) {
    this.#request = request;
    this.#notify = notify;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    this.onmessage?.(this.#request);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#resolve(message);
    else this.#notify(message);
  }

  /** Ends the exchange. A call that is still running is cancelled through `onclose`. */
  async close(): Promise<void> {
    this.#resolve(undefined);
    this.onclose?.();
  }
}
