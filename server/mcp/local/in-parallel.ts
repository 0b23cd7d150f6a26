import { inOrder } from '../../sites/runner/in-order.ts';

/** Most of the time of a small file is spent waiting for the system. */
const AT_A_TIME = 16;

/** Results of several works at a time, in the order of the items. Ends with what one of them throws; then none goes on. */
export async function mapInParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal = new AbortController().signal,
): Promise<R[]> {
  const results: R[] = [];
  await eachInOrder(items, work, async (_, result) => void results.push(result), signal);
  return results;
}

/** The same, with each result given to `keep` in its turn. */
export async function eachInOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  keep: (item: T, result: R, index: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const left = items[Symbol.iterator]();
  let index = 0;
  await inOrder({
    next: async () => left.next().value as T | undefined,
    atATime: AT_A_TIME,
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
