/** Removes what has expired, as long as the service runs. */

const EVERY_MS = 60_000;

/** What keeps things for a time only. */
export interface Expiring {
  /** At the start: removes what a crash has left behind. */
  removeOrphans?(): Promise<void>;
  sweep(): Promise<void>;
}

export interface Expiry {
  /** Ends the sweeping; resolves when a sweep that is running has ended. */
  stop(): Promise<void>;
}

/**
 * Sweeps at once and then every minute. Resolves after the first sweep.
 * @param onError told when a later sweep fails; the others are swept, and the next one tries again
 */
export async function startExpiry(expiring: readonly Expiring[], onError: (error: unknown) => void): Promise<Expiry> {
  for (const each of expiring) {
    await each.removeOrphans?.();
    await each.sweep();
  }
  const sweepAll = async () => {
    for (const each of expiring) await each.sweep().catch(onError);
  };
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweepAll().finally(() => {
      running = undefined;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
