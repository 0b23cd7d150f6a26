/** One pass over a source that several readers consume at once. */

export interface Broadcast<T> {
  /** Each reader gets every item once. */
  readers: AsyncGenerator<T>[];
  /** Fails all readers. Needed when one stops reading: the others would wait for it for ever. */
  stop(error: unknown): void;
}

interface Waiting<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/** Reads the next item when all readers have asked for it. If the source fails, all readers fail. */
export function broadcast<T>(source: AsyncIterable<T>, count: number): Broadcast<T> {
  const iterator = source[Symbol.asyncIterator]();
  let waiting: Waiting<T>[] = [];
  let failure: { error: unknown } | undefined;
  const stop = (error: unknown) => {
    failure ??= { error };
    for (const { reject } of waiting.splice(0)) reject(failure.error);
  };
  const ask = (asking: Waiting<T>) => {
    if (failure) {
      asking.reject(failure.error);
      return;
    }
    waiting.push(asking);
    if (waiting.length < count) return;
    const asked = waiting;
    waiting = [];
    iterator.next().then(
      (result) => {
        for (const { resolve } of asked) resolve(result);
      },
      (error: unknown) => {
        failure ??= { error };
        for (const { reject } of asked) reject(error);
      },
    );
  };
  const read = async function* () {
    for (;;) {
      const result = await new Promise<IteratorResult<T>>((resolve, reject) => ask({ resolve, reject }));
      if (result.done) return;
      yield result.value;
    }
  };
  return { readers: Array.from({ length: count }, read), stop };
}
