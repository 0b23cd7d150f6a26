/** Loads the saved pipelines of the account and the templates. */
import type { Pipeline, SavedPipeline } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { useData } from '../../ui/use-loaded.ts';

export type Pipelines = ReturnType<typeof usePipelines>;

interface Answer {
  pipelines: SavedPipeline[];
  templates: (Pipeline & { name: string })[];
}

/** `saved` is undefined until it is loaded. */
export function usePipelines() {
  const { value, error, reload } = useData((signal) => api.value.json<Answer>('/api/v1/pipelines', { signal }), []);
  return { saved: value?.pipelines, templates: value?.templates ?? [], error, reload };
}
