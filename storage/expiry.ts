import type { Results } from './results.ts';

const EVERY_MS = 60_000;

export interface Expiry {
  /** Ends the sweeping; resolves when a sweep that is running has ended. */
  stop(): Promise<void>;
}

/**
 * Sweeps at once and then every minute. Resolves after the first sweep.
 * @param onError told when a later sweep fails; the next one tries again
 */
export async function startExpiry(results: Results, onError: (error: unknown) => void): Promise<Expiry> {
  await results.removeOrphans();
  await results.sweep();
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= results
      .sweep()
      .catch(onError)
      .finally(() => {
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
