/** Loads the saved pipelines of the account and the templates. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Pipeline, SavedPipeline } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { useLatestTask } from '../../ui/use-latest.ts';

export interface Pipelines {
  /** Undefined until loaded. */
  saved: readonly SavedPipeline[] | undefined;
  templates: readonly (Pipeline & { name: string })[];
  error: unknown;
  reload(): Promise<void>;
}

interface Answer {
  pipelines: SavedPipeline[];
  templates: (Pipeline & { name: string })[];
}

export function usePipelines(): Pipelines {
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const latest = useLatestTask();
  const reload = useCallback(async () => {
    try {
      const next = await latest((signal) => api.value.json<Answer>('/api/v1/pipelines', { signal }));
      if (!next) return;
      setAnswer(next);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  }, []);
  useEffect(() => void reload(), []);
  return { saved: answer?.pipelines, templates: answer?.templates ?? [], error, reload };
}
