/** Code that the methods of the client share. */
import type { Call, Transport } from './transport.ts';

export interface CallOptions {
  /** Aborts the request, a wait before the next attempt, and the body of the response. */
  signal?: AbortSignal | undefined;
}

/** Creates the body of a JSON request. */
export const jsonBody = (value: unknown): Required<Pick<Call, 'body' | 'headers'>> => ({
  body: JSON.stringify(value),
  headers: { 'Content-Type': 'application/json' },
});

/** Encodes one part of a path. */
export const segment = (text: string | number): string => encodeURIComponent(text);

/** A part of the client whose methods use one part of the API. */
export abstract class Group {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

const PAGE = 500;

interface PageParams {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** Yields all items of a list. Reads it in pages, each when it is needed. */
export async function* itemsOf<T, P extends PageParams>(
  read: (params: P) => Promise<{ items: readonly T[]; total: number }>,
  params: P,
): AsyncGenerator<T, void, undefined> {
  let { offset = 0 } = params;
  for (;;) {
    const { items, total } = await read({ ...params, limit: params.limit ?? PAGE, offset });
    yield* items;
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}
