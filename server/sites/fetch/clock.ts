/** Time as the fetches of a scan see it. Tests bring one that they turn themselves. */
export interface Clock {
  /** Milliseconds since 1970; never runs backwards. */
  now(): number;
  /** Runs something once after some milliseconds; the function that it gives takes that back. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
