import { useCallback, useEffect, useRef } from 'preact/hooks';

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
