/** The calls that are being answered, so that a request can cancel another: the server keeps no sessions. */

/** Which call: the request ids of two clients with one key may be the same, so that the id of a client is part of it. */
export interface CallName {
  keyId: string;
  /** The Mcp-Session-Id that the client was given and sends along, if it does. */
  client: string;
  requestId: string | number;
}

export class Calls {
  readonly #running = new Map<string, Set<() => void>>();

  /** @returns what is called when it has ended */
  add(name: CallName, cancel: () => void): () => void {
    const key = keyOf(name);
    const running = this.#running.get(key) ?? new Set();
    this.#running.set(key, running.add(cancel));
    return () => {
      running.delete(cancel);
      if (running.size === 0) this.#running.delete(key);
    };
  }

  /** Of several of that name nobody knows which is meant: none is cancelled. */
  cancel(name: CallName): void {
    const [cancel, ...others] = this.#running.get(keyOf(name)) ?? [];
    if (others.length === 0) cancel?.();
  }
}

function keyOf({ keyId, client, requestId }: CallName): string {
  return JSON.stringify([keyId, client, requestId]);
}
