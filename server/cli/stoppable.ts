/**
 * Runs `work` with a signal that fires when the process is told to stop, its reason the name of the process's signal; a
 * second time ends the process at once.
 */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const stop = (name: NodeJS.Signals) => stopped.abort(name);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(stopped.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
