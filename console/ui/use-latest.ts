import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/**
 * Runs one task at a time. A newer task, or unmounting the component, aborts the previous one and discards its result.
 * @returns a function that resolves with undefined for an aborted task
 */
export function useLatestTask(): <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined> {
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  return useCallback(async (work) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    try {
      const answer = await work(controller.signal);
      return controller.signal.aborted ? undefined : answer;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }, []);
}

/** Runs an action of the user, and keeps whether it is running and the error that it ended with. */
export function useAction() {
  const latest = useLatestTask();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const run = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    setState({ isBusy: true });
    try {
      const isDone = await latest(async (signal) => {
        await work(signal);
        return true;
      });
      if (isDone) setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return { ...state, run };
}
