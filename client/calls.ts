/** What the methods of the client share. */
import type { Call, Transport } from './transport.ts';

export interface CallOptions {
  /** Ends the request, a wait before the next attempt, and the body of the answer. */
  signal?: AbortSignal | undefined;
}

/** The body of a request that is JSON. */
export function jsonBody(value: unknown): Required<Pick<Call, 'body' | 'headers'>> {
  return { body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' } };
}

/** A part of a path. */
export const segment = (text: string | number): string => encodeURIComponent(text);

/** Part of the client; its methods ask one part of the interface. */
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

/** All items of a list, which is read in pages, the next one when it is needed. */
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
