/** Work on several things at a time whose results are kept in their order, so that a repetition leads to the same rows. */

export interface Ordered<T, R> {
  /** The next one; undefined while there is none, which may change when a result has been kept. */
  next(): Promise<T | undefined>;
  /** Most that are worked on or wait for their turn. */
  atATime: number;
  work(item: T, signal: AbortSignal): Promise<R>;
  /** @returns false to go no further */
  keep(item: T, result: R): Promise<boolean>;
  signal: AbortSignal;
}

/** Ends when there is nothing left, or with what one of the works or `keep` throws; then nothing of it goes on. */
export async function inOrder<T, R>({ next, atATime, work, keep, signal }: Ordered<T, R>): Promise<void> {
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const begun: { item: T; result: Promise<R> }[] = [];
  try {
    for (;;) {
      while (begun.length < atATime) {
        const item = await next();
        if (item === undefined) break;
        const result = work(item, either);
        // Told when its turn comes.
        result.catch(() => {});
        begun.push({ item, result });
      }
      const first = begun[0];
      if (!first) return;
      const result = await first.result;
      begun.shift();
      if (!(await keep(first.item, result))) return;
    }
  } finally {
    leaving.abort();
    await Promise.allSettled(begun.map(({ result }) => result));
  }
}

/** Hands out rows one by one that are read some at a time; asks again when it has come to the end. */
export function batched<T>(read: (after: T | undefined) => Promise<T[]>): () => Promise<T | undefined> {
  let batch: T[] = [];
  let last: T | undefined;
  return async () => {
    if (batch.length === 0) batch = (await read(last)).reverse();
    last = batch.at(-1) ?? last;
    return batch.pop();
  };
}
