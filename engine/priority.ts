/** Thread priorities. Threads started by a thread have their own. */
import { getPriority, setPriority } from 'node:os';

/** Niceness of workers that run long tasks: workers with short tasks, and the main thread, have priority over them. */
export const LONG_NICENESS = 5;

/**
 * Lowers the priority of this thread, and of other threads of the process, to a niceness, if it is not that low yet.
 */
export function lowerPriority(niceness: number, others: readonly number[] = []): void {
  // On other systems this would set the priority of the whole process.
  if (process.platform !== 'linux' || niceness <= getPriority()) return;
  for (const id of [0, ...others]) setPriority(id, niceness);
}
