/** Signals that stop the process. SIGHUP means that its terminal was closed. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** After this the service ends itself: running requests have 30 s. */
export const STOP_TIMEOUT_MS = 38_000;
/** After this the service is killed by the process that waits for it. Service managers kill both after 45 s. */
export const KILL_TIMEOUT_MS = STOP_TIMEOUT_MS + 2000;

/**
 * Runs `work` with an AbortSignal that fires when the process is asked to stop. Its reason is the name of the signal. A
 * second signal ends the process at once.
 */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const stop = (name: NodeJS.Signals) => stopped.abort(name);
  for (const name of STOP_SIGNALS) process.once(name, stop);
  try {
    return await work(stopped.signal);
  } finally {
    for (const name of STOP_SIGNALS) process.off(name, stop);
  }
}
