/** One pass over something, for several who read it at once. */

export interface Broadcast<T> {
  /** Each gets everything, once. */
  readers: AsyncGenerator<T>[];
  /** Fails all of them: one that will not read on would keep the others waiting. */
  stop(error: unknown): void;
}

interface Waiting<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/** The source goes on when all readers have asked for what follows. When it fails, all fail. */
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
