/** Loads data from the service for a component. */
import { useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** While it loads again, the previous value. */
  value: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

/**
 * Loads immediately, and again whenever `inputs` change. The result of a superseded load is ignored.
 * @param inputs everything that `load` depends on
 */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((count) => count + 1) };
}
