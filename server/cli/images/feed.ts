/** Keeps the workers fed: several files are read, worked on and written at the same time, and no more than fit. */

export interface FeedLimits {
  /** Items under way at a time. */
  concurrency: number;
  /** Bytes of the items under way; one that is larger goes alone. */
  bytes: number;
  signal: AbortSignal;
}

/**
 * Does `work` for each item in about their order. Begins none any more when the signal fires; resolves when all that were
 * begun have ended.
 * @param sizeOf bytes of an item
 * @param work must not throw
 */
export async function feed<T>(
  items: readonly T[],
  sizeOf: (item: T) => Promise<number>,
  work: (item: T, index: number) => Promise<void>,
  { concurrency, bytes: most, signal }: FeedLimits,
): Promise<void> {
  let next = 0;
  let held = 0;
  // One waits for room at a time, so that a large item is not overtaken for ever.
  let turn = Promise.resolve();
  let roomFreed = () => {};
  const takeRoom = async (bytes: number) => {
    while (held > 0 && held + bytes > most) {
      await new Promise<void>((resolve) => {
        roomFreed = resolve;
      });
    }
    held += bytes;
  };
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      const item = items[index] as T;
      const bytes = await sizeOf(item);
      turn = turn.then(() => takeRoom(bytes));
      await turn;
      if (!signal.aborted) await work(item, index);
      held -= bytes;
      roomFreed();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}
