/** Priority of threads. Threads that one starts have its own. */
import { getPriority, setPriority } from 'node:os';

/** Of workers that run long tasks: those of short ones, and the main thread, go before them. */
export const LONG_NICENESS = 5;

/** Lowers the priority of this thread, and of others of the process, to the niceness if it is not that low yet. */
export function yieldMore(niceness: number, others: readonly number[] = []): void {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform !== 'linux' || niceness <= getPriority()) return;
  for (const id of [0, ...others]) setPriority(id, niceness);
}
