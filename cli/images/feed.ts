/** Keeps the workers busy: reads, processes and writes several files at a time, within the limits. */

export interface RunLimits {
  /** Maximum number of items in progress. */
  concurrency: number;
  /** Maximum bytes of the items in progress. A larger item runs alone. */
  bytes: number;
  signal: AbortSignal;
}

/**
 * Runs `work` for each item, in roughly their order. Starts no more items once the signal fires. Resolves when all
 * started items have ended.
 * @param sizeOf returns the bytes of an item
 * @param work must not throw
 */
export async function runLimited<T>(
  items: readonly T[],
  sizeOf: (item: T) => Promise<number>,
  work: (item: T, index: number) => Promise<void>,
  { concurrency, bytes: most, signal }: RunLimits,
): Promise<void> {
  let next = 0;
  let held = 0;
  // Only one item waits for memory at a time, so that smaller items cannot delay a large one forever.
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
