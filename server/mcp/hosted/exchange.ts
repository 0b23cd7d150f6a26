/** One request and its answer, as the SDK's server knows them: a connection that brings one message. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';

export class SingleExchange implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #request: JSONRPCRequest;
  readonly #notify: (message: JSONRPCMessage) => void;
  /** The answer; undefined when the call has ended without one. */
  readonly answer: Promise<JSONRPCMessage | undefined>;
  #resolve: (answer: JSONRPCMessage | undefined) => void = () => {};

  /** @param notify told of what the server says before its answer */
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

  /** Ends it, answered or not; what works on the answer is told. */
  async close(): Promise<void> {
    this.#resolve(undefined);
    this.onclose?.();
  }
}
