/** Tracks running calls, so that another request can cancel one. The server has no sessions. */

/** Identifies a call. It includes the client: two clients with the same key may use the same request ids. */
export interface CallKey {
  keyId: string;
  /** Mcp-Session-Id that the server issued, if the client sends it. */
  client: string;
  requestId: string | number;
}

export class Calls {
  readonly #running = new Map<string, Set<() => void>>();

  /** @returns a function to call when the call has ended */
  add(name: CallKey, cancel: () => void): () => void {
    const key = keyOf(name);
    const running = this.#running.get(key) ?? new Set();
    this.#running.set(key, running.add(cancel));
    return () => {
      running.delete(cancel);
      if (running.size === 0) this.#running.delete(key);
    };
  }

  /** Cancels the call. If several calls match, the target is ambiguous and none is cancelled. */
  cancel(name: CallKey): void {
    const [cancel, ...others] = this.#running.get(keyOf(name)) ?? [];
    if (others.length === 0) cancel?.();
  }
}

const keyOf = ({ keyId, client, requestId }: CallKey): string => JSON.stringify([keyId, client, requestId]);
