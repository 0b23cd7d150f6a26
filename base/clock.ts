/** A source of the current time and of timers. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  /** Calls `work` after this many milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, work: () => void): () => void;
}

/** Uses the system's clock. Its timers do not keep the process running. */
export const systemClock: Clock = {
  now: Date.now,
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
