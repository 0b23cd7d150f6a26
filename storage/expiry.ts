/** Removes expired data while the service runs. */

const SWEEP_INTERVAL_MS = 60_000;

/** Sweeps from one removal of orphan files to the next: an hour. A store on S3 lists all files for it. */
const SWEEPS_PER_ORPHANS = 60;

/** A store whose data expires. */
export interface ExpiringStore {
  /** Runs at startup, while no other process works on the data: removes records left behind by a crash. */
  removeOrphans?(): Promise<void>;
  /** Runs at startup and then every hour: removes files without a record. */
  removeOrphanFiles?(): Promise<void>;
  sweep(): Promise<void>;
}

export interface ExpirySweeper {
  /** Stops the sweeping; resolves when a running sweep has ended. */
  stop(): Promise<void>;
}

/**
 * Sweeps at once and then every minute. Resolves after the first sweep.
 * @param onError called when a later sweep fails; the other stores are still swept, and the next sweep tries again
 * @param isAlone whether no other process works on the data
 */
export async function startExpiry(
  expiring: readonly ExpiringStore[],
  onError: (error: unknown) => void,
  isAlone = true,
): Promise<ExpirySweeper> {
  for (const each of expiring) {
    if (isAlone) await each.removeOrphans?.();
    await each.removeOrphanFiles?.();
    await each.sweep();
  }
  let sweeps = 0;
  const sweepAll = async () => {
    sweeps += 1;
    for (const each of expiring) {
      if (sweeps % SWEEPS_PER_ORPHANS === 0) await each.removeOrphanFiles?.().catch(onError);
      await each.sweep().catch(onError);
    }
  };
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweepAll().finally(() => {
      running = undefined;
    });
  }, SWEEP_INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
