/** Does one thing at a time, and of those asked for meanwhile only the last: a pointer asks for more frames than can be decoded. */
export function latestOnly<T>(work: (wanted: T) => Promise<unknown>): (wanted: T) => void {
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
