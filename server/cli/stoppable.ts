/** How a process is told to stop; the last, that its terminal is closed. */
export const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a signal that fires when the process is told to stop, its reason the name of the process's signal; a
 * second time ends the process at once.
 */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const stop = (name: NodeJS.Signals) => stopped.abort(name);
  for (const name of STOPS) process.once(name, stop);
  try {
    return await work(stopped.signal);
  } finally {
    for (const name of STOPS) process.off(name, stop);
  }
}
