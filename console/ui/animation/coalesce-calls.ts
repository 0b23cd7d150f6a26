/**
 * Runs one call at a time. Of the calls made meanwhile, only the last one runs: a moving pointer requests more frames
 * than can be decoded.
 */
export function coalesceCalls<T>(work: (wanted: T) => Promise<unknown>): (wanted: T) => void {
  let waiting: { wanted: T } | undefined;
  let isBusy = false;
  const run = async () => {
    isBusy = true;
    while (waiting) {
      const { wanted } = waiting;
      waiting = undefined;
      await work(wanted);
    }
    isBusy = false;
  };
  return (wanted) => {
    waiting = { wanted };
    if (!isBusy) void run();
  };
}
