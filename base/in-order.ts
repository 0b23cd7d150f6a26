/** Works on several items at a time and stores their results in order, so that a repetition gives the same rows. */

export interface OrderedWork<T, R> {
  /** Returns the next item, or undefined while there is none. Storing a result may add items. */
  next(): Promise<T | undefined>;
  /** Maximum number of items that are in work or wait for their turn. */
  atATime: number;
  work(item: T, signal: AbortSignal): Promise<R>;
  /** @returns false to stop */
  keep(item: T, result: R): Promise<boolean>;
  signal: AbortSignal;
}

/** Ends when no item is left, or throws the error of `work` or `keep` after all other work has ended. */
export async function processInOrder<T, R>({ next, atATime, work, keep, signal }: OrderedWork<T, R>): Promise<void> {
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  const begun: { item: T; result: Promise<R> }[] = [];
  try {
    for (;;) {
      while (begun.length < atATime) {
        const item = await next();
        if (item === undefined) break;
        const result = work(item, either);
        // Handled when its turn comes.
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

/** Returns rows one by one that are read in batches. At the end it reads again, since rows may have been added. */
export function batched<T>(read: (after: T | undefined) => Promise<T[]>): () => Promise<T | undefined> {
  let batch: T[] = [];
  let last: T | undefined;
  return async () => {
    if (batch.length === 0) batch = (await read(last)).reverse();
    last = batch.at(-1) ?? last;
    return batch.pop();
  };
}
