import { useCallback, useEffect, useRef } from 'preact/hooks';

/**
 * Runs one work at a time: a newer one, and the end of the part that it is for, stop the one before, whose answer is then
 * ignored.
 * @returns resolves with undefined for one that was stopped
 */
export function useLatest(): <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined> {
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
