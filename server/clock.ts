/** What tells the time and wakes at another. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  /** Calls `work` after so many milliseconds; returns what calls it off. */
  after(milliseconds: number, work: () => void): () => void;
}

/** Does not keep the process running. */
export const systemClock: Clock = {
  now: Date.now,
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
