/** Loads data from the service for a component. */
import { useEffect, useState } from 'preact/hooks';

/**
 * Loads immediately, and again whenever `inputs` change. The result of a superseded load is ignored. While it loads
 * again, the value is the previous one.
 * @param inputs everything that `load` depends on
 */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setError(undefined);
    load(abort.signal).then(
      (loaded) => abort.signal.aborted || setValue(() => loaded),
      (failure: unknown) => abort.signal.aborted || setError(failure),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  return { value, error, reload: () => setRound((count) => count + 1) };
}
