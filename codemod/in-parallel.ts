import { processInOrder } from '../base/in-order.ts';

/** Number of concurrent items. For small files most of the time is spent waiting for I/O. */
const CONCURRENCY = 16;

/** Runs `work` on several items concurrently and returns the results in order. The first error stops the rest. */
export async function mapInParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal = new AbortController().signal,
): Promise<R[]> {
  const results: R[] = [];
  await eachInOrder(items, work, async (_, result) => void results.push(result), signal);
  return results;
}

/** Like `mapInParallel`, but passes each result to `keep`, in order. */
export async function eachInOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  keep: (item: T, result: R, index: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const left = items[Symbol.iterator]();
  let index = 0;
  await processInOrder({
    next: async () => left.next().value as T | undefined,
    atATime: CONCURRENCY,
    work: async (item) => {
      signal.throwIfAborted();
      return await work(item);
    },
    keep: async (item, result) => {
      await keep(item, result, index);
      index += 1;
      return true;
    },
    signal,
  });
}
