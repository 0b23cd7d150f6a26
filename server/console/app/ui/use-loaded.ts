/** What is read of the service for a part of a page. */
import { useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** While it is read anew, what it was before. */
  value: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
}

/**
 * Reads at once, and again whenever `inputs` change; an answer that is no longer wanted is dropped.
 * @param inputs all that `load` depends on
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
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
